#!/usr/bin/env bash
# Makes the package of Debian from the files of the program.
#
#     .ci/release/debian.sh TREE VERSION ARCHITECTURE URL LICENSE FOLDER
#
# The maintainer is the committer, $DEBFULLNAME and $DEBEMAIL if they are set. The package needs no other one, because the program contains its libraries.
set -euo pipefail

tree=$1 version=$2 architecture=$3 url=$4 license=$5 folder=$6
identity=$(git var GIT_COMMITTER_IDENT)
name=${DEBFULLNAME:-${identity%% <*}}
address=${identity#*<}
address=${DEBEMAIL:-${address%%>*}}
date=$(date --utc --rfc-email --date "@${SOURCE_DATE_EPOCH:-$(date +%s)}")

package=$(mktemp -d)
trap 'rm -rf "$package"' EXIT
chmod 755 "$package"
cp -r "$tree"/. "$package"
mkdir -p "$package"/{DEBIAN,usr/share/lintian/overrides}
documents=$package/usr/share/doc/larkspur

gzip --best --no-name "$package/usr/share/man/man1/larkspur.1"
printf 'larkspur (%s) unstable; urgency=medium\n\n  * Version %s: %s\n\n -- %s <%s>  %s\n' \
    "$version" "$version" "${url%.git}" "$name" "$address" "$date" | gzip --best --no-name > "$documents/changelog.gz"
{
    printf 'Larkspur, %s\n\n' "$url"
    cat "$license"
    printf '\nThe program contains libraries of other projects. The file larkspur.spdx.json lists them with their\n'
    printf 'versions, and the folder libraries has their copyright notices and licenses.\n'
} > "$documents/copyright"
cp "$folder"/larkspur-*.spdx.json "$documents/larkspur.spdx.json"
cat > "$package/usr/share/lintian/overrides/larkspur" << 'END'
# The program is for systems of any distribution, also without Swift and libcurl, so it contains its libraries.
# larkspur.spdx.json lists them. Each correction of one of them needs a new version of this package.
larkspur: statically-linked-binary [usr/bin/larkspur]
larkspur: embedded-library curl [usr/bin/larkspur]
larkspur: embedded-library zlib [usr/bin/larkspur]
END

homepage=
if [[ $url == https://* ]]; then homepage="Homepage: ${url%.git}"$'\n'; fi
size=$(du --summarize --apparent-size --block-size 1K "$package/usr" | cut -f 1)
cat > "$package/DEBIAN/control" << END
Package: larkspur
Version: $version
Architecture: $architecture
Maintainer: $name <$address>
Installed-Size: $size
Recommends: ca-certificates
Section: web
Priority: optional
${homepage}Description: command line client for HTTP
 larkspur sends HTTP requests and prints the responses. Its arguments are those
 of HTTPie: fields, parameters, JSON and forms are written as items behind the
 URL. It follows redirects, continues downloads, keeps sessions, speaks
 WebSocket, reads server-sent events, and measures latencies.
 .
 The program contains Swift's libraries, libcurl and OpenSSL, and needs no other
 package.
END
(cd "$package" && find usr -type f -print0 | sort --zero-terminated | xargs --null md5sum > DEBIAN/md5sums)
find "$package" -type d -exec chmod 755 {} +
find "$package" -type f ! -path '*/usr/bin/*' -exec chmod 644 {} +
file=$folder/larkspur_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$package" "$file"
lintian --allow-root --fail-on error,warning --info "$file"
