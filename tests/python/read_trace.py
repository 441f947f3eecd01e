"""Reads a trace with pyarrow and polars, and prints as JSON what each found."""

import json
import sys
from pathlib import Path

import polars
import pyarrow

TABLES = ["agents", "ticks", "roster"]
POLARS_NAMES = {"UInt8": "uint8", "UInt16": "uint16", "UInt32": "uint32", "Float32": "float", "Float64": "double"}
ARROW_NAMES = {"float": "float32", "double": "float64"}


def with_pyarrow(trace):
    tables = {}
    for name in TABLES:
        with pyarrow.OSFile(str(trace / f"{name}.arrows")) as file:
            tables[name] = pyarrow.ipc.open_stream(file).read_all()
    agents = tables["agents"]
    return {
        "types": {n: {f.name: ARROW_NAMES.get(str(f.type), str(f.type)) for f in t.schema} for n, t in tables.items()},
        "rows": {n: t.num_rows for n, t in tables.items()},
        "goals": agents.num_rows - agents["goal"].null_count,
        "sum_x_m": sum(agents["x_m"].to_pylist()),
        "last_run_digest": f"{tables['ticks']['run_digest'][-1].as_py():016x}",
    }


def with_polars(trace):
    tables = {name: polars.read_ipc_stream(trace / f"{name}.arrows") for name in TABLES}
    agents = tables["agents"]

    def kind(dtype):
        name = POLARS_NAMES.get(str(dtype), str(dtype))
        return ARROW_NAMES.get(name, name)

    return {
        "types": {n: {c: kind(d) for c, d in t.schema.items()} for n, t in tables.items()},
        "rows": {n: t.height for n, t in tables.items()},
        "goals": agents["goal"].drop_nulls().len(),
        "sum_x_m": agents["x_m"].sum(),
        "last_run_digest": f"{tables['ticks']['run_digest'][-1]:016x}",
    }


trace = Path(sys.argv[1])
print(json.dumps({"pyarrow": with_pyarrow(trace), "polars": with_polars(trace)}))
