"""A fuzzing server with the cases of the Autobahn test suite for WebSocket clients.

    autobahn_cases.py serve <folder> <messages> [<pattern> ...]
    autobahn_cases.py check <folder>

`serve` writes its URL to <folder>/url once it accepts connections. It writes the results to <folder>/index.json when a
client asks for it and when it is terminated. The cases that send 1000 messages send no more than <messages>. The
patterns select cases: `1.*`, `7.9.13`. `check` prints the cases that a client failed or did not run, and exits with 1
if there are any.

A client asks /getCaseCount for the number of cases, connects to /runCase?case=<1...>&agent=<name> for each, where it
returns every message, and ends with /updateReports?agent=<name>.

The cases are those of the PyPI package autobahntestsuite, which is written for Python 2. They are adapted to Python 3
while they are loaded. Strings of Python 2 are strings of bytes: the sources are read as Latin-1, where each character
stands for one byte, and the payloads that pass between the cases and the connection are converted alike.
"""

import fnmatch
import importlib.util
import json
import os
import re
import sys
import time
import warnings

# The verdicts on a case, and on its closing handshake, that are no failures.
PASSES = ("OK", "NON-STRICT", "INFORMATIONAL", "UNIMPLEMENTED")
# Not imported: it is not Python 3.
SUITE = importlib.util.find_spec("autobahntestsuite")
PACKAGE = os.path.dirname(SUITE.origin) if SUITE else ""

# Replacements for the parts of the sources that Python 3 rejects, or reads in another way.
ADAPTATIONS = [
    (r"(?m)^( +)print (.+)$", r"\1print(\2)"),
    # Python 3 finds no method resolution order for these bases.
    (r"\(object, Case, *\)", "(Case,)"),
    (r"binascii\.(b2a_hex|hexlify)\(", "hexadecimal("),
    (r"\bxrange\(", "range("),
    (r"len\(self\.payload\) / ", "len(self.payload) // "),
    (r"v\.validate\(vss\[:i\]\)", "v.validate(to_bytes(vss[:i]))"),
    # Environments of Python 3.12 and later do not have this module. The cases find their data with it.
    (r"pkg_resources, ", ""),
    (r"pkg_resources\.resource_filename\(\"autobahntestsuite\", ", "data_file("),
    # Not among the cases, and it imports a function that zope.interface no longer has.
    (r"(?m)^from case9_9_1 import .*$", ""),
]


def to_bytes(text):
    return text if isinstance(text, bytes) else text.encode("latin-1")


class CaseImporter:
    """Finds and loads the modules of the suite's cases, adapted."""

    folder = os.path.join(PACKAGE, "case")

    def find_spec(self, name, path=None, target=None):
        file = os.path.join(self.folder, ("__init__" if name == "all_cases" else name) + ".py")
        if name != "all_cases" and not re.fullmatch(r"case(\d\w*)?", name):
            return None
        return importlib.util.spec_from_file_location(name, file, loader=self) if os.path.exists(file) else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        with open(module.__spec__.origin, encoding="latin-1", newline=None) as file:
            source = file.read()
        for pattern, replacement in ADAPTATIONS:
            source = re.sub(pattern, replacement, source)
        module.to_bytes = to_bytes
        module.hexadecimal = lambda text: to_bytes(text).hex()
        module.data_file = lambda name: os.path.join(PACKAGE, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(source, module.__spec__.origin, "exec"), module.__dict__)


def serve(folder, messages, patterns):
    from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
    from autobahn.websocket.http import HttpException
    from twisted.internet import reactor

    sys.meta_path.append(CaseImporter())
    import all_cases
    import case

    # The original compares pickles. With Python 3 those of equal lists can differ.
    case.Case.compare = lambda self, left, right: left == right

    def identifier(kind):
        return kind.__name__.removeprefix("Case").replace("_", ".")

    cases = [
        kind
        for kind in all_cases.Cases
        if not patterns or any(fnmatch.fnmatchcase(identifier(kind), pattern) for pattern in patterns)
    ]
    for kind in cases:
        if hasattr(kind, "COUNT"):
            kind.COUNT = min(kind.COUNT, messages)
    results = {}

    def write_results():
        for agent, verdicts in results.items():
            for name, verdict in verdicts.items():
                write(verdict["reportfile"], {"agent": agent, "case": name, **verdict})
        short = ("behavior", "behaviorClose", "remoteCloseCode", "duration", "reportfile")
        write(
            "index.json",
            {
                agent: {name: {key: verdict[key] for key in short} for name, verdict in verdicts.items()}
                for agent, verdicts in results.items()
            },
        )

    def write(name, value):
        path = os.path.join(folder, name)
        with open(path + ".new", "w") as file:
            json.dump(value, file, indent=3, sort_keys=True)
        os.replace(path + ".new", path)

    class Connection(WebSocketServerProtocol):
        case = None
        agent = None
        # Read or set by the cases, like txFrameStats.
        connectionWasOpen = False
        createWirelog = True

        def connectionMade(self):
            self.events = []
            self.calls = []
            self.txFrameStats = {}
            super().connectionMade()

        def onConnect(self, request):
            self.agent = request.params.get("agent", [None])[0]
            self.path = request.path
            if request.path == "/runCase":
                number = request.params.get("case", [""])[0]
                if not self.agent or not number.isdecimal() or not 1 <= int(number) <= len(cases):
                    raise HttpException(404, "No such case, or no agent")
                self.case = cases[int(number) - 1](self)
            elif request.path not in ("/getCaseCount", "/updateReports"):
                raise HttpException(404, "No such path")

        def onOpen(self):
            self.connectionWasOpen = True
            self.start = time.monotonic()
            if self.case:
                self.case.onOpen()
                return
            if self.path == "/getCaseCount":
                self.sendMessage(str(len(cases)))
            else:
                write_results()
            self.sendClose()

        def connectionLost(self, reason):
            super().connectionLost(reason)
            for call in self.calls:
                if call.active():
                    call.cancel()
            if not self.case:
                return
            self.case.onConnectionLost(self.failedByMe)
            name = identifier(type(self.case))
            results.setdefault(self.agent, {})[name] = {
                "behavior": self.case.behavior,
                "behaviorClose": self.case.behaviorClose,
                "remoteCloseCode": self.remoteCloseCode,
                "duration": round(1000 * (time.monotonic() - self.start)) if self.connectionWasOpen else 0,
                "reportfile": f"{re.sub('[^0-9A-Za-z]+', '_', self.agent)}_case_{name.replace('.', '_')}.json",
                "description": self.case.DESCRIPTION,
                "expectation": self.case.EXPECTATION,
                "result": self.case.result,
                "resultClose": self.case.resultClose,
                "wasClean": self.wasClean,
                "wasNotCleanReason": self.wasNotCleanReason,
                "request": self.http_request_data.decode("latin-1") if self.connectionWasOpen else "",
                "response": self.http_response_data if self.connectionWasOpen else "",
                "events": self.events,
            }

        def onMessage(self, payload, binary):
            # The cases with compression work with bytes.
            if self.case:
                self.case.onMessage(payload if hasattr(self.case, "TESTDATA") else payload.decode("latin-1"), binary)

        def onPong(self, payload):
            if self.case:
                self.case.onPong(payload.decode("latin-1"))

        # The methods with which the cases send.

        def sendFrame(self, opcode, payload=b"", payload_len=None, **options):
            payload = to_bytes(payload)
            if payload_len is not None:
                payload = (payload * (payload_len // len(payload) + 1))[:payload_len]
            super().sendFrame(opcode, payload, **options)

        def sendMessage(self, payload, *arguments, **options):
            super().sendMessage(to_bytes(payload), *arguments, **options)

        def sendMessageFrameData(self, payload, sync=False):
            return super().sendMessageFrameData(to_bytes(payload), sync)

        def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
            super().sendCloseFrame(code, None if reasonUtf8 is None else to_bytes(reasonUtf8), isReply)

        # The methods with which the cases wait. Nothing happens if the connection has ended by then.

        def continueLater(self, delay, function, tag=None):
            self.call_while_open(delay, "continues", function)

        def killAfter(self, delay):
            self.call_while_open(delay, "fails the connection", self.failConnection)

        def closeAfter(self, delay):
            self.call_while_open(delay, "closes", self.sendClose)

        def call_while_open(self, delay, event, function):
            def call():
                if self.state != self.STATE_CLOSED:
                    self.log_event(f"server {event} after {delay} s")
                    function()

            self.calls.append(reactor.callLater(delay, call))

        # The log of a case, from which the cause of a failure can be seen.

        def enableWirelog(self, enable):
            self.createWirelog = enable

        def logRxFrame(self, header, payload):
            self.log_frame("received", header, b"".join(payload) if self.createWirelog else b"")

        def logTxFrame(self, header, payload, repeatLength, chopsize, sync):
            self.txFrameStats[header.opcode] = self.txFrameStats.get(header.opcode, 0) + 1
            self.log_frame("sent", header, payload)

        def log_frame(self, event, header, payload):
            if self.createWirelog:
                start = payload[:64].decode("latin-1")
                bits = f"opcode {header.opcode}, fin {int(header.fin)}, rsv {header.rsv}"
                self.log_event(f"{event} {bits}, {header.length} bytes: {start!r}")

        def log_event(self, event):
            if self.case and len(self.events) < 1000:
                self.events.append(f"{time.monotonic() - self.start:.3f} {event}")

    factory = WebSocketServerFactory()
    factory.protocol = Connection
    factory.logFrames = True
    # A violation of the protocol is answered with a close frame before the connection ends.
    factory.setProtocolOptions(failByDrop=False)
    port = reactor.listenTCP(0, factory, interface="127.0.0.1").getHost().port
    write("cases.json", [identifier(kind) for kind in cases])
    reactor.addSystemEventTrigger("before", "shutdown", write_results)

    def announce():
        with open(os.path.join(folder, "url.new"), "w") as file:
            file.write(f"ws://127.0.0.1:{port}\n")
        os.replace(os.path.join(folder, "url.new"), os.path.join(folder, "url"))

    reactor.callWhenRunning(announce)
    reactor.run()


def check(folder):
    with open(os.path.join(folder, "cases.json")) as file:
        cases = json.load(file)
    if not os.path.exists(os.path.join(folder, "index.json")):
        print("autobahn: the server has written no results")
        return 1
    with open(os.path.join(folder, "index.json")) as file:
        agents = json.load(file)
    failures = 0
    if not agents:
        print(f"autobahn: no client has run any of the {len(cases)} cases")
        failures = 1
    for agent, verdicts in agents.items():
        counts = {}
        for case in cases:
            if case not in verdicts:
                continue
            verdict = verdicts[case]
            behavior, close = verdict["behavior"], verdict["behaviorClose"]
            counts[behavior] = counts.get(behavior, 0) + 1
            if behavior not in PASSES or close not in PASSES:
                failures += 1
                print(f"autobahn: {agent} case {case}: {behavior}, close {close} ({verdict['remoteCloseCode']})")
                with open(os.path.join(folder, verdict["reportfile"])) as file:
                    report = json.load(file)
                for line in (report["description"], report["expectation"], report["result"], report["resultClose"]):
                    print(f"    {' '.join(line.split())[:300]}")
                for event in report["events"][:12]:
                    print(f"        {event[:160]}")
        missing = [case for case in cases if case not in verdicts]
        if missing:
            failures += 1
            print(f"autobahn: {agent} has not run {len(missing)} cases: {' '.join(missing)}")
        unimplemented = [case for case in cases if verdicts.get(case, {}).get("behavior") == "UNIMPLEMENTED"]
        if unimplemented:
            print(f"autobahn: {agent} does not implement {len(unimplemented)} cases: {' '.join(unimplemented)}")
        summary = ", ".join(f"{count} {behavior}" for behavior, count in sorted(counts.items()))
        print(f"autobahn: {agent} ran {len(verdicts)} of {len(cases)} cases: {summary}")
    return 1 if failures else 0


def main():
    command, folder, *arguments = sys.argv[1:]
    if command == "serve":
        serve(folder, int(arguments[0]), arguments[1:])
    else:
        sys.exit(check(folder))


main()
