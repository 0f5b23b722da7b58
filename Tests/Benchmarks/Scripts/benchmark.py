"""Runs the scenarios and prints their tables; run.sh calls it when programs and server are there."""

import argparse
import dataclasses
import json
import os
import pathlib
import sys

import clients
import measurements
import programs
import report
import scenarios
import servers


def main():
    options = _options()
    chosen = _chosen(options)
    if options.list:
        for scenario in scenarios.ALL.values():
            print(f"{scenario.name:32} {scenario.summary}")
        return
    if options.check:
        return
    if options.programs:
        names = {clients.PROGRAMS[name] for name in options.client or clients.PROGRAMS}
        if any(scenario.server in ("streams", "websockets") for scenario in chosen):
            names.add("BenchServer")
        print(*sorted(name for name in names if name))
        return
    seconds = 0.2 if options.quick else 1.5
    runs = options.runs or (1 if options.quick else 5)
    print(report.environment(runs, seconds), flush=True)
    results = []
    for scenario in chosen:
        if options.quick:
            scenario = scenario.quick()
        if options.mib and scenario.is_sequence:
            scenario = scenario.with_content(options.mib << 20)
        if options.requests and scenario.idle_streams is not None:
            scenario = dataclasses.replace(scenario, requests=options.requests)
        with servers.origins(scenario) as origins:
            of_scenario = _measure(scenario, options, runs, seconds, origins)
        print(report.table(scenario, of_scenario), flush=True)
        results += of_scenario
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=2) + "\n")
    failed = [result for result in results if result.get("failures") and result["client"] in clients.OWN]
    sys.exit(1 if failed else 0)


def _options():
    parser = argparse.ArgumentParser(prog="run.sh", description="Measures HTTP clients against each other.")
    parser.add_argument("scenarios", metavar="SCENARIO", nargs="*", help="default: all but build-time, program-size and the largest idle ones")
    parser.add_argument("--json", metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--runs", metavar="N", type=int, help="runs of each client; default: 5, and 1 of build-time and program-size")
    parser.add_argument("--requests", metavar="N", type=int, help="requests of each idle scenario; default: 20,000")
    parser.add_argument("--mib", metavar="N", type=int, help="MiB of each request of the scenarios with sequences; default: 1,024 or less")
    parser.add_argument("--client", metavar="NAME", action="append", help="only this client; may be given again")
    parser.add_argument("--quick", action="store_true", help="one short run of each, to see that it works")
    parser.add_argument("--all", action="store_true", help="build-time, program-size and the largest idle scenarios too")
    parser.add_argument("--list", action="store_true", help="list the scenarios")
    parser.add_argument("--programs", action="store_true", help=argparse.SUPPRESS)  # only name those that are needed
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)  # only read the arguments
    options = parser.parse_args()
    for name in options.scenarios:
        if name not in scenarios.ALL:
            parser.error(f"there is no scenario {name}; there are {', '.join(scenarios.ALL)}")
    for name in options.client or []:
        if name not in clients.PROGRAMS:
            parser.error(f"there is no client {name}; there are {', '.join(clients.PROGRAMS)}")
    return options


def _chosen(options):
    if options.scenarios:
        return [scenarios.ALL[name] for name in options.scenarios]
    return [scenario for scenario in scenarios.ALL.values() if options.all or not scenario.is_slow]


def _measure(scenario, options, runs, seconds, origins):
    """The results of all clients; each has its first run before any has its second."""
    if scenario.server in ("https", "http2") and "BENCH_TRUSTS_SERVER" not in os.environ:
        print(f"{scenario.name} is left out: the server's certificate could not be made trusted.", file=sys.stderr)
        return []
    if scenario.name in programs.SCENARIOS:
        names, runner = _build_runner(scenario, options)
        runs = options.runs or 1
    else:
        names, runner = _request_runner(scenario, options, seconds, origins)
    figures = {name: [] for name in names}
    failures = {name: [] for name in names}
    for _ in range(runs):
        for name in names:
            try:
                figures[name].append(runner(name))
                measurements.check_memory(name, scenario, figures[name][-1])
            except measurements.Failure as failure:
                failures[name].append(str(failure))
    return [report.summary(scenario, name, figures[name], failures[name]) for name in names]


def _request_runner(scenario, options, seconds, origins):
    folder = pathlib.Path(os.environ["BENCH_PROGRAMS"])
    names = [name for name in _built(folder, options) if clients.can_do(name, scenario)]
    arguments = [] if scenario.websockets else scenario.arguments(*origins, seconds)
    # Caches and cookies of the clients go into the temporary folder; no proxy stands between them and the server.
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    environment |= {"HOME": os.environ["BENCH_FOLDER"], "TMPDIR": os.environ["BENCH_FOLDER"]}

    def run(name):
        if scenario.websockets:
            program = folder / clients.PROGRAMS[name]
            return measurements.run_websockets(program, name, scenario, 2 if options.quick else 10, environment)
        if name == "curl":
            return measurements.run_curl(scenario.curl_arguments(origins[0]), scenario.piped_length, environment)
        return measurements.run(folder / clients.PROGRAMS[name], name, arguments, environment)

    return names, run


def _build_runner(scenario, options):
    folder = pathlib.Path(os.environ["BENCH_FOLDER"]) / scenario.name
    built = _built(pathlib.Path(os.environ["BENCH_PROGRAMS"]), options)
    packages = {}

    def build(name):
        if name not in packages:
            packages[name] = programs.Package(name, folder, os.environ["BENCH_ROOT"])
        return programs.SCENARIOS[scenario.name](packages[name])

    return [name for name in programs.SOURCES if name in built], build


def _built(folder, options):
    names = [name for name, program in clients.PROGRAMS.items() if program is None or (folder / program).exists()]
    return [name for name in names if not options.client or name in options.client]


main()
