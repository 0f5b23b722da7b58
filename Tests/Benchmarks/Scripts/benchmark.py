"""Runs the scenarios and prints their tables; run.sh calls it when programs and server are there."""

import argparse
import dataclasses
import os
import pathlib
import random
import subprocess
import sys

import clients
import content
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
        print(*_programs(options, chosen))
        return
    seconds = 0.2 if options.quick else 1
    runs = options.runs or (1 if options.quick else 5)
    environment = report.environment(runs, seconds, options.seed)
    print(report.environment_line(environment), flush=True)
    results = []
    for scenario in chosen:
        if options.quick:
            scenario = scenario.quick()
        if options.mib and scenario.is_sequence:
            scenario = scenario.with_content(options.mib << 20)
        if options.requests and scenario.idle_streams is not None:
            scenario = dataclasses.replace(scenario, requests=options.requests)
        if scenario.workload == "crawl":
            content.write_site(pathlib.Path(os.environ["BENCH_FOLDER"]) / "content", scenario.requests, options.seed)
        with servers.origins(scenario) as origins:
            of_scenario = _measure(scenario, options, runs, seconds, origins)
        print(report.table(scenario.name, scenario.summary, of_scenario), flush=True)
        results += of_scenario
    if options.json:
        summaries = {scenario.name: scenario.summary for scenario in chosen}
        report.write(pathlib.Path(options.json), environment, summaries, results)
    failed = [result for result in results if result.get("failures") and result["client"] in clients.OWN]
    sys.exit(1 if failed else 0)


def _options():
    parser = argparse.ArgumentParser(prog="run.sh", description="Measures HTTP clients against each other.")
    parser.add_argument("scenarios", metavar="SCENARIO", nargs="*", help="default: all but build-time and some that take minutes")
    parser.add_argument("--json", metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--runs", metavar="N", type=int, help="runs of each client; default: 5, and 1 of build-time and program-size")
    parser.add_argument("--requests", metavar="N", type=int, help="requests of each idle scenario; default: 20,000")
    parser.add_argument("--mib", metavar="N", type=int, help="MiB of each request of the scenarios with sequences; default: 1,024 or less")
    parser.add_argument("--seed", metavar="N", type=int, default=random.randrange(1 << 32), help="the seed of the site that is crawled; default: a new one")
    parser.add_argument("--client", metavar="NAME", action="append", help="only this client; may be given again")
    parser.add_argument("--quick", action="store_true", help="one short run of each, to see that it works")
    parser.add_argument("--all", action="store_true", help="build-time and the other scenarios that take minutes too")
    parser.add_argument("--list", action="store_true", help="list the scenarios")
    parser.add_argument("--programs", action="store_true", help=argparse.SUPPRESS)  # only name those that are needed
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)  # only read the arguments
    options = parser.parse_args()
    for name in options.scenarios:
        if name not in scenarios.ALL:
            parser.error(f"there is no scenario {name}; there are {', '.join(scenarios.ALL)}")
    for name in options.client or []:
        if name not in clients.ALL:
            parser.error(f"there is no client {name}; there are {', '.join(clients.ALL)}")
    return options


def _chosen(options):
    if options.scenarios:
        return [scenarios.ALL[name] for name in options.scenarios]
    return [scenario for scenario in scenarios.ALL.values() if options.all or not scenario.is_slow]


def _programs(options, chosen):
    """The names of the programs that the chosen scenarios need."""
    names = set()
    for scenario in chosen:
        taking_part = _taking_part(scenario, options)
        if scenario.workload in programs.WORKLOADS:
            names |= {programs.CLIENTS[name][0] for name in taking_part}
        else:
            names |= {clients.ALL[name].program for name in taking_part}
        if scenario.workload == "process" or "curl" in taking_part:
            names.add("BenchProcess")
        if scenario.server in ("streams", "websockets"):
            names.add("BenchServer")
    return sorted(name for name in names if name)


def _taking_part(scenario, options):
    names = programs.CLIENTS if scenario.workload in programs.WORKLOADS else clients.of(scenario)
    return [name for name in names if not options.client or name in options.client]


def _measure(scenario, options, runs, seconds, origins):
    """The results of all clients; each has its first run before any has its second."""
    if scenario.server in ("https", "http2") and "BENCH_TRUSTS_SERVER" not in os.environ:
        print(f"{scenario.name} is left out: the server's certificate could not be made trusted.", file=sys.stderr)
        return []
    names, runner = _runner(scenario, options, seconds, origins)
    if scenario.workload in programs.MEASUREMENTS:
        runs = options.runs or 1
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


def _runner(scenario, options, seconds, origins):
    """The names of the clients whose programs are there, and a function that measures one of them once."""
    folder = pathlib.Path(os.environ["BENCH_PROGRAMS"])
    # Caches and cookies of the clients go into the temporary folder; no proxy stands between them and the server.
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    environment |= {"HOME": os.environ["BENCH_FOLDER"], "TMPDIR": os.environ["BENCH_FOLDER"]}
    if scenario.libcurl:
        environment["LARKSPUR_LIBCURL"] = _libcurl(scenario.libcurl)

    def program(name):
        of_process = scenario.workload in programs.WORKLOADS
        return programs.CLIENTS[name][0] if of_process else clients.ALL[name].program

    def run(name):
        if scenario.workload in programs.MEASUREMENTS:
            return programs.MEASUREMENTS[scenario.workload](name, folder)
        if scenario.workload == "process":
            return measurements.run_processes(name, scenario, origins[0], environment)
        if scenario.websockets:
            seconds_of_pings = 2 if options.quick else 10
            return measurements.run_websockets(folder / program(name), name, scenario, seconds_of_pings, environment)
        if name == "curl":
            return measurements.run_curl(scenario.curl_arguments(origins[0]), scenario.piped_length, environment)
        return measurements.run(folder / program(name), name, scenario.arguments(*origins, seconds), environment)

    names = _taking_part(scenario, options)
    return [name for name in names if program(name) is None or (folder / program(name)).exists()], run


def _libcurl(version):
    """The file of a version of libcurl; it is fetched if it is not there."""
    script = pathlib.Path(os.environ["BENCH_ROOT"]) / "Tests/Interop/libcurls.sh"
    command = [script, "chosen", version, "printenv", "LARKSPUR_LIBCURL"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


main()
