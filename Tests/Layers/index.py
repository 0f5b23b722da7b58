"""Reads the index that the compiler writes during a build: which file defines a symbol, and which files use it."""
import collections
import ctypes
import pathlib
import shutil
import subprocess

DEFINITION, REFERENCE = 1 << 1, 1 << 2
RECORD = 2

Use = collections.namedtuple("Use", "file line name home")


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


class Index:
    """The index of the debug build of the package in the current folder."""

    VISITOR = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
    NAME_VISITOR = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, Text)

    def __init__(self):
        pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64
        swift = pathlib.Path(shutil.which("swift")).resolve()
        self.library = ctypes.CDLL(str(swift.parent.parent / "lib" / "libIndexStore.so"))
        for name, result, arguments in [
            ("store_create", pointer, [text, pointer]),
            ("store_units_apply_f", ctypes.c_bool, [pointer, ctypes.c_uint, pointer, pointer]),
            ("store_get_unit_modification_time", ctypes.c_int, [pointer, text, pointer, pointer]),
            ("unit_reader_create", pointer, [pointer, text, pointer]),
            ("unit_reader_dispose", None, [pointer]),
            ("unit_reader_get_main_file", Text, [pointer]),
            ("unit_reader_dependencies_apply_f", ctypes.c_bool, [pointer, pointer, pointer]),
            ("unit_dependency_get_kind", ctypes.c_int, [pointer]),
            ("unit_dependency_get_name", Text, [pointer]),
            ("record_reader_create", pointer, [pointer, text, pointer]),
            ("record_reader_dispose", None, [pointer]),
            ("record_reader_occurrences_apply_f", ctypes.c_bool, [pointer, pointer, pointer]),
            ("occurrence_get_symbol", pointer, [pointer]),
            ("occurrence_get_roles", number, [pointer]),
            ("occurrence_get_line_col", None, [pointer, pointer, pointer]),
            ("symbol_get_usr", Text, [pointer]),
            ("symbol_get_name", Text, [pointer]),
        ]:
            function = getattr(self.library, "indexstore_" + name)
            function.restype, function.argtypes = result, arguments
        build = subprocess.run(["swift", "build", "--show-bin-path"], capture_output=True, text=True, check=True)
        store = pathlib.Path(build.stdout.strip()) / "index" / "store"
        self.error = ctypes.c_void_p()
        self.store = self.call("store_create", str(store).encode(), ctypes.byref(self.error))
        if not self.store:
            raise SystemExit(f"There is no index in {store}: run swift build first.")

    def call(self, name, *arguments):
        return getattr(self.library, "indexstore_" + name)(*arguments)

    def uses(self, files):
        """The uses of symbols of some files by others of them.

        :param files: The paths of the files. One that the index does not have ends the program.
        """
        records = self.records({str(path.resolve()): path for path in files})
        missing = sorted(str(path) for path in set(files) - set(records))
        if missing:
            raise SystemExit("The index does not have these files, run swift build first: " + ", ".join(missing))
        homes, references = {}, []
        for file, record in records.items():
            for symbol, name, roles, line in self.occurrences(record):
                if roles & REFERENCE:
                    references.append((file, line, symbol, name))
                elif roles & DEFINITION:
                    homes.setdefault(symbol, file)
        for file, line, symbol, name in references:
            home = homes.get(symbol)
            if home not in (None, file):
                yield Use(file, line, name, home)

    def records(self, paths):
        """The newest record of each file; files without code that was compiled have an empty one."""
        units, newest = [], {}
        self.call("store_units_apply_f", self.store, 0, None, self.NAME_VISITOR(lambda _, name: units.append(str(name)) or True))
        for unit in units:
            reader = self.call("unit_reader_create", self.store, unit.encode(), ctypes.byref(self.error))
            if not reader:
                continue
            path = paths.get(str(self.call("unit_reader_get_main_file", reader)))
            if path:
                names = []

                def note(_, dependency):
                    if self.call("unit_dependency_get_kind", dependency) == RECORD:
                        names.append(str(self.call("unit_dependency_get_name", dependency)))
                    return True

                self.call("unit_reader_dependencies_apply_f", reader, None, self.VISITOR(note))
                own = next((name for name in names if name.startswith(path.name + "-")), None)
                time = self.time(unit)
                if path not in newest or newest[path][0] < time:
                    newest[path] = (time, own)
            self.call("unit_reader_dispose", reader)
        return {path: record for path, (_, record) in newest.items()}

    def time(self, unit):
        seconds, fraction = ctypes.c_int64(), ctypes.c_int64()
        self.call("store_get_unit_modification_time", self.store, unit.encode(), ctypes.byref(seconds), ctypes.byref(fraction))
        return seconds.value, fraction.value

    def occurrences(self, record):
        """The symbol, its name, the roles and the line of each place in a record."""
        if record is None:
            return []
        reader = self.call("record_reader_create", self.store, record.encode(), ctypes.byref(self.error))
        if not reader:
            raise SystemExit(f"The index has no record {record}: run swift build first.")
        found, known = [], {}
        line, column = ctypes.c_uint(), ctypes.c_uint()

        def note(_, occurrence):
            symbol = self.call("occurrence_get_symbol", occurrence)
            if symbol not in known:
                known[symbol] = (str(self.call("symbol_get_usr", symbol)), str(self.call("symbol_get_name", symbol)))
            self.call("occurrence_get_line_col", occurrence, ctypes.byref(line), ctypes.byref(column))
            found.append((*known[symbol], self.call("occurrence_get_roles", occurrence), line.value))
            return True

        self.call("record_reader_occurrences_apply_f", reader, None, self.VISITOR(note))
        self.call("record_reader_dispose", reader)
        return found
