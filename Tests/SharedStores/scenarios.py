#!/usr/bin/env python3
"""Processes that share limits and tokens in Redis. Prints a line for each check, and fails if one does.

    scenarios.py WORKER REDIS_SERVER [--only NAME…] [--seconds 20] [--rounds 1000]
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time

from servers import Monitor, Redis, Server, SlowWay

RATE, BURST, PROCESSES, TASKS = 200, 10, 4, 32
failures = []


def check(is_right, text):
    print(('ok      ' if is_right else 'WRONG   ') + text)
    if not is_right:
        failures.append(text)


class Worker:
    """A process of the program SharedStoreWorker."""

    def __init__(self, command, **arguments):
        words = [word for name, value in arguments.items() for word in (f'--{name}', str(value))]
        self.process = subprocess.Popen([options.worker, command, *words], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if command != 'cost':
            assert self.line() == 'ready'

    def line(self):
        return self.process.stdout.readline().strip()

    def begin(self):
        self.process.stdin.write('go\n')
        self.process.stdin.flush()

    def call(self):
        self.begin()
        return self.line()

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)


def most_within(period, times):
    """The largest number of times within a period in seconds."""
    most = first = 0
    for last, moment in enumerate(times):
        while times[first] <= moment - period:
            first += 1
        most = max(most, last - first + 1)
    return most


class Run:
    """A run of processes that send requests with one rate.

    tasks and pauses have the number of tasks of each process, and the microseconds that each of its tasks waits after a
    request."""

    def __init__(self, redis, name, url=None, seconds=None, during=None, monitors=True, rate=RATE, burst=BURST,
                 tasks=(TASKS,) * PROCESSES, pauses=None):
        self.name, self.rate, self.burst, self.processes = name, rate, burst, len(tasks)
        self.seconds = int(seconds or options.seconds)
        server = Server()
        self.monitor = Monitor(redis) if monitors else None
        workers = [
            Worker('rate', redis=url or redis.url, server=server.url, key=name, rate=rate, burst=burst, tasks=count,
                   processes=len(tasks), seconds=self.seconds, pause=pause)
            for count, pause in zip(tasks, pauses or [0] * len(tasks))
        ]
        self.start = time.monotonic()
        for worker in workers:
            worker.begin()
        if during:
            during(self)
        reports = [json.loads(worker.line()) for worker in workers]
        for worker in workers:
            worker.end()
        self.arrivals = server.arrivals
        self.admissions = self.monitor.admissions() if monitors else []
        self.failures = [error for report in reports for error in report['failures']]
        self.events = [report['events'] for report in reports]
        self.counts = [report['succeeded'] for report in reports]

    def wait_until(self, seconds):
        time.sleep(max(self.start + seconds - time.monotonic(), 0))

    def between(self, first, last):
        """The number of requests in a part of the run, for each second."""
        times = [moment - self.start for moment in self.arrivals]
        return sum(first <= moment < last for moment in times) / (last - first)

    def check_all(self, used=0.97, allowed=None, uses_store=True):
        """Checks the rate.

        - used: The smallest part of the rate that is used.
        - allowed: The largest number of admissions in a second; None for the rate and the burst.
        - uses_store: Whether the store admits all requests."""
        allowed = allowed or self.rate + self.burst
        check(not self.failures, f'{self.name}: no call fails {self.failures[:1] or ""}')
        if self.monitor:
            least = len(self.arrivals) if uses_store else 1
            check(len(self.admissions) >= least,
                  f'{self.name}: {len(self.admissions)} admissions for {len(self.arrivals)} requests')
            most = most_within(1, self.admissions)
            check(most <= allowed,
                  f"{self.name}: at most {most} admissions in a second by Redis's clock, {allowed} allowed")
        most = most_within(1, self.arrivals)
        check(most <= allowed * 1.05, f'{self.name}: at most {most} requests in a second at the server')
        share = self.between(0, self.seconds) / self.rate
        check(share >= used, f'{self.name}: {share:.1%} of the rate is used')


def rate(redis):
    run = Run(redis, 'rate')
    run.check_all()
    check(not any(run.events), 'rate: no event reports the store')


def fair(redis):
    # Tokens are rare, so that each process waits for several seconds between two of them.
    run = Run(redis, 'fair', seconds=40, rate=3, burst=1, tasks=(4,) * 8)
    run.check_all(used=0.9)
    mean = sum(run.counts) / len(run.counts)
    check(min(run.counts) >= mean / 2, f'fair: {min(run.counts)} to {max(run.counts)} requests of a process')


def mixed(redis):
    # Some processes mostly find a token, and some mostly wait for one. The interval is no whole number of nanoseconds.
    run = Run(redis, 'mixed', rate=700, burst=1, tasks=(1, 1, 8, 8), pauses=(3100, 4300, 20_000, 30_000))
    run.check_all(used=0.3)
    check(not any(run.events), 'mixed: no event reports the store')


def stopped(redis):
    def stop(run):
        run.wait_until(5)
        redis.process.send_signal(signal.SIGSTOP)
        run.wait_until(10)
        redis.process.send_signal(signal.SIGCONT)

    run = Run(redis, 'stopped', seconds=18, during=stop)
    run.check_all(used=0.6, uses_store=False)
    check(run.between(7, 10) >= RATE * 0.5, f'stopped: {run.between(7, 10):.0f} requests a second without Redis')
    check(run.between(13, 18) >= RATE * 0.9, f'stopped: {run.between(13, 18):.0f} requests a second afterwards')
    check(all(1 <= count <= 2 for count in run.events), f'stopped: events report each outage once: {run.events}')


def interrupted(redis):
    def interrupt(run):
        for second in (8, 16):
            run.wait_until(second)
            redis.process.send_signal(signal.SIGSTOP)
            run.wait_until(second + 3)
            redis.process.send_signal(signal.SIGCONT)

    run = Run(redis, 'interrupted', seconds=30, during=interrupt, rate=1, burst=1, tasks=(2,) * PROCESSES)
    # An outage gives each process a token of its own.
    run.check_all(used=0.7, allowed=2 + PROCESSES, uses_store=False)
    most, allowed = most_within(10, run.arrivals), 10 + 1 + 2 * PROCESSES
    check(most <= allowed, f'interrupted: at most {most} requests in ten seconds, {allowed} allowed')


def slow(redis):
    Run(redis, 'slow by 10 ms', url=SlowWay(redis, 0.005).url).check_all()
    # No connection is made within the limit, so that Redis admits nothing.
    run = Run(redis, 'slow by 2 s', url=SlowWay(redis, 1).url, seconds=10, monitors=False)
    run.check_all(used=0.85)
    check(all(run.events), f'slow by 2 s: events report the store: {run.events}')


def lost(redis):
    def flush(run):
        for second in range(2, int(run.seconds), 4):
            run.wait_until(second)
            redis.command('FLUSHALL')
            redis.command('SCRIPT', 'FLUSH')

    # A loss gives a full bucket, and each process may have a token of before.
    run = Run(redis, 'data lost', during=flush)
    run.check_all(allowed=RATE + 2 * BURST + PROCESSES, uses_store=False)

    def restart(run):
        run.wait_until(4)
        redis.stop()
        # Long enough for all processes to notice. A process that does not has the whole rate, beside the shares of the
        # others.
        run.wait_until(5.5)
        redis.start()

    run = Run(redis, 'restarted', seconds=12, during=restart, monitors=False)
    run.check_all(used=0.8, allowed=RATE + 2 * BURST + PROCESSES)
    check(run.between(7, 12) >= RATE * 0.9, f'restarted: {run.between(7, 12):.0f} requests a second afterwards')


def refresh_workers(redis, server, count, key, die='never'):
    return [Worker('refresh', redis=redis.url, server=server.url, key=key, die=die) for _ in range(count)]


def call_all(workers):
    for worker in workers:
        worker.begin()
    return [worker.line() for worker in workers]


def refresh(redis):
    server = Server()
    workers = refresh_workers(redis, server, 8, 'refresh')
    wrong, start = [], time.monotonic()
    for index in range(1, options.rounds + 1):
        server.is_expired = True
        results = call_all(workers)
        if set(results) != {'200'} or server.refreshes != index:
            wrong.append((index, server.refreshes, results))
            break
        if index == options.rounds // 2:
            redis.command('FLUSHALL')
    time_of_all = time.monotonic() - start
    check(not wrong, f'refresh: {server.refreshes} refreshes in {options.rounds} rounds of 8 processes {wrong or ""}')
    check(server.refusals == 0, f'refresh: {server.refusals} refresh tokens were used twice, {time_of_all:.0f} s')
    for worker in workers:
        worker.end()


def killed(redis):
    server = Server()
    (holder,) = refresh_workers(redis, server, 1, 'killed before', die='acquired')
    (other,) = refresh_workers(redis, server, 1, 'killed before')
    check([other.call()] == ['200'] and server.refreshes == 0, 'killed before: a call without a refresh succeeds')
    server.is_expired = True
    holder.begin()
    check(holder.process.wait(60) == -signal.SIGKILL and server.refreshes == 0, 'killed before: the holder ends')
    start = time.monotonic()
    result = other.call()
    check(result == '200' and server.refreshes == 1,
          f'killed before: another process refreshes after {time.monotonic() - start:.1f} s ({result})')
    other.end()

    server = Server()
    holder, other = refresh_workers(redis, server, 2, 'killed after')
    check(call_all([holder, other]) == ['200', '200'], 'killed after: calls without a refresh succeed')
    server.is_expired = server.holds = True
    holder.begin()
    check(server.token_arrived.wait(30), 'killed after: the holder sends the refresh')
    os.kill(holder.process.pid, signal.SIGKILL)
    holder.process.wait()
    server.holds = False
    result = other.call()
    check(result.startswith('credential-refresh-failed') and 'sign in' in result,
          f'killed after: an error says to sign in again ({result})')
    check(server.refusals == 0, 'killed after: the refresh token is not sent again')
    other.end()


def cost(redis):
    server, count = Server(), 2000
    before = redis.counts()
    worker = Worker('cost', redis=redis.url, server=server.url, key='cost', count=count)
    times = json.loads(worker.line())
    worker.end()
    after = redis.counts()
    calls = {name: after[name] - before.get(name, 0) for name in after}
    # The script of a step calls these. INFO counts the commands.
    others = ('time', 'get', 'set', 'info', 'script|load')
    sent = {name: number for name, number in calls.items() if number and name not in others}
    rounds = count + count // 10
    # One step for each call, one that is measured alone, and a PING.
    expected = {'evalsha': 2 * rounds, 'ping': rounds}
    check(sent == expected, f'cost: {sent} for {2 * rounds} steps and {rounds} times PING')
    inner = [calls.get(name, 0) for name in others]
    check(inner[0] == 2 * rounds and max(inner[1:3]) <= 2 * rounds and inner[3] <= 2 and inner[4] <= 10,
          f'cost: {inner} of {", ".join(others)}')
    added = times['limited'] - times['plain']
    print(f"cost: PING {times['ping']:.0f} µs, a step {times['token']:.0f} µs, a call {times['plain']:.0f} µs, "
          f"with the limit {times['limited']:.0f} µs: {added:.0f} µs more")
    check(added <= 4 * times['ping'] + 100, 'cost: the limit adds about a round trip')


SCENARIOS = {function.__name__: function for function in (rate, fair, mixed, stopped, interrupted, slow, lost, refresh,
                                                     killed, cost)}

parser = argparse.ArgumentParser()
parser.add_argument('worker')
parser.add_argument('redis')
parser.add_argument('--only', nargs='*', choices=SCENARIOS, default=list(SCENARIOS))
parser.add_argument('--seconds', type=float, default=20)
parser.add_argument('--rounds', type=int, default=1000)
options = parser.parse_args()
# A scenario that hangs ends the run.
alarm = threading.Timer(1500, lambda: os._exit(3))
alarm.daemon = True
alarm.start()
for name in options.only:
    redis = Redis(options.redis)
    try:
        SCENARIOS[name](redis)
    finally:
        redis.stop()
if failures:
    print(f'{len(failures)} checks fail.')
sys.stdout.flush()
os._exit(1 if failures else 0)
