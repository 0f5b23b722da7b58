#!/usr/bin/env python3
"""Makes the list of the software in the static program (SBOM), in SPDX 2.3, from the linker's map, and copies the licenses.

    sbom.py --map FILE --archives FOLDER --program FILE --version VERSION --url URL --architecture NAME --licenses FOLDER

The map names the archives from which something was linked. An archive of libcurl.sh has its version in versions.txt, one of
the system in the list of dpkg, and one of the toolchain has that of `swift --version`. An archive of another origin is an
error. The folder of --licenses gets a text for each part.
"""
import argparse
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# The entries of versions.txt to which the archives of libcurl.sh belong.
BUILT = {
    'libcurl.a': 'curl', 'libxml2.a': 'libxml2', 'libssl.a': 'libssl-dev', 'libcrypto.a': 'libssl-dev', 'libz.a': 'zlib1g-dev',
    'libbrotlidec.a': 'libbrotli-dev', 'libbrotlicommon.a': 'libbrotli-dev', 'libzstd.a': 'libzstd-dev', 'libnghttp2.a': 'libnghttp2-dev',
}
# The licenses of what is linked, as the projects declare them.
LICENSES = {
    'curl': 'curl', 'libxml2': 'MIT', 'libssl-dev': 'Apache-2.0', 'zlib1g-dev': 'Zlib', 'libbrotli-dev': 'MIT',
    'libzstd-dev': 'BSD-3-Clause OR GPL-2.0-only', 'libnghttp2-dev': 'MIT', 'libc6-dev': 'LGPL-2.1-or-later',
    'libstdc++-dev': 'GPL-3.0-or-later WITH GCC-exception-3.1', 'libgcc-dev': 'GPL-3.0-or-later WITH GCC-exception-3.1',
    'swift': 'Apache-2.0 WITH Swift-exception', 'icu': 'Unicode-3.0',
}
ICU = 'lib_FoundationICU.a'


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Part:
    """A part of the program, with the archives that it consists of."""

    def __init__(self, name, version, license, supplier, purl, texts):
        self.name, self.version, self.license, self.supplier, self.purl, self.texts = name, version, license, supplier, purl, texts
        self.archives = set()


def debian_part(package, version, archives):
    """A part from Debian's package; from libcurl.sh if there is a folder of its archives."""
    license = LICENSES.get(re.sub(r'-\d+-dev$', '-dev', package))
    if not license:
        sys.exit(f'sbom.py knows no license of {package}.')
    text = archives / 'copyright' / package if archives else Path('/usr/share/doc', package, 'copyright')
    kind = 'arch=source' if archives and package in ('curl', 'libxml2') else f'arch={output("dpkg", "--print-architecture").strip()}'
    release = re.search(r'^VERSION_CODENAME=(\w+)', Path('/etc/os-release').read_text(), re.MULTILINE)[1]
    name = package.replace('+', '%2B')
    purl = f'pkg:deb/debian/{name}@{version.replace("+", "%2B").replace(":", "%3A")}?{kind}&distro={release}'
    return Part(package, version, license, 'Organization: Debian', purl, [text])


def parts(map_file, archives):
    """Returns the parts whose archives the map names."""
    versions = dict(line.split() for line in (archives / 'versions.txt').read_text().splitlines())
    toolchain = Path(shutil.which('swift')).resolve().parent.parent
    swift = re.search(r'Swift version (\S+)', output('swift', '--version'))[1]
    found = {}
    named = set(re.findall(r'(/[^\s():]+\.a)\b', map_file.read_text(errors='replace')))
    for path in sorted({Path(os.path.realpath(name)) for name in named}):
        if path.is_relative_to(archives.resolve()):
            part = debian_part(BUILT[path.name], versions[BUILT[path.name]], archives)
        elif path.is_relative_to(toolchain):
            license = toolchain / 'share/swift/LICENSE.txt'
            name = 'icu' if path.name == ICU else 'swift'
            # The toolchain has no text of ICU's license; the one of Debian's ICU is the same but for the years.
            texts = sorted(Path('/usr/share/doc').glob('libicu[0-9]*/copyright'))[:1] if name == 'icu' else [license]
            part = Part(f'{name} of the toolchain', swift, LICENSES[name], 'Organization: Swift.org', None, texts)
        else:
            package = output('dpkg', '--search', str(path)).split(':')[0]
            part = debian_part(package, output('dpkg-query', '--show', '--showformat', '${Version}', package), None)
        found.setdefault(part.name, part).archives.add(path.name)
    missing = {'curl', 'libssl-dev', 'libc6-dev', 'swift of the toolchain'} - found.keys()
    if missing:
        sys.exit(f'The map {map_file} does not name {", ".join(sorted(missing))}.')
    return sorted(found.values(), key=lambda part: part.name)


def copy_licenses(found, folder):
    for part in found:
        if not part.texts or not all(text.exists() for text in part.texts):
            sys.exit(f'There is no text of the license of {part.name}: {part.texts}')
        for text in part.texts:
            shutil.copy(text, folder / f'{part.name.replace(" ", "-")}.txt')


def document(arguments, found):
    content = arguments.program.read_bytes()
    digests = [{'algorithm': name.upper(), 'checksumValue': hashlib.new(name, content).hexdigest()} for name in ('sha1', 'sha256')]
    home = arguments.url.removesuffix('.git')
    seconds = int(os.environ['SOURCE_DATE_EPOCH'])
    unknown = {'downloadLocation': 'NOASSERTION', 'licenseConcluded': 'NOASSERTION', 'copyrightText': 'NOASSERTION', 'filesAnalyzed': False}
    packages = [{
        **unknown, 'SPDXID': 'SPDXRef-larkspur', 'name': 'larkspur', 'versionInfo': arguments.version, 'licenseDeclared': 'MIT',
        'primaryPackagePurpose': 'APPLICATION', 'supplier': 'NOASSERTION', 'packageFileName': 'usr/bin/larkspur', 'checksums': digests,
    }]
    if not arguments.url.startswith('file:'):
        packages[0]['downloadLocation'] = f'git+{arguments.url}@{arguments.version}'
    relationships = [('SPDXRef-DOCUMENT', 'DESCRIBES', 'SPDXRef-larkspur')]
    for part in found:
        identifier = 'SPDXRef-' + re.sub(r'[^A-Za-z0-9.-]', '-', part.name)
        package = {
            **unknown, 'SPDXID': identifier, 'name': part.name, 'versionInfo': part.version, 'supplier': part.supplier,
            'licenseDeclared': part.license, 'primaryPackagePurpose': 'LIBRARY', 'comment': ', '.join(sorted(part.archives)),
        }
        if part.purl:
            package['externalRefs'] = [
                {'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl', 'referenceLocator': part.purl}
            ]
        packages.append(package)
        relationships.append(('SPDXRef-larkspur', 'STATIC_LINK', identifier))
    return {
        'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT',
        'name': f'larkspur-{arguments.version}-{arguments.architecture}',
        'documentNamespace': f'{home}/spdx/{arguments.version}/{arguments.architecture}/{digests[1]["checksumValue"]}',
        'creationInfo': {
            'created': datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ'),
            'creators': ['Tool: sbom.py of Larkspur'],
        },
        'packages': packages,
        'relationships': [
            {'spdxElementId': one, 'relationshipType': kind, 'relatedSpdxElement': other} for one, kind, other in relationships
        ],
    }


def main():
    parser = argparse.ArgumentParser()
    for name, kind in [('map', Path), ('archives', Path), ('program', Path), ('version', str), ('url', str), ('architecture', str),
                       ('licenses', Path)]:
        parser.add_argument(f'--{name}', type=kind, required=True)
    arguments = parser.parse_args()
    found = parts(arguments.map, arguments.archives)
    copy_licenses(found, arguments.licenses)
    print(json.dumps(document(arguments, found), indent=2, ensure_ascii=False))
    for part in found:
        print(f'{part.name} {part.version}: {", ".join(sorted(part.archives))}', file=sys.stderr)


main()
