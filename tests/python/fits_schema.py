"""Validates TOML files against a JSON Schema, and prints as JSON what is wrong with each."""

import json
import sys
import tomllib
from pathlib import Path

import jsonschema

schema = json.loads(Path(sys.argv[1]).read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
errors = {
    name: [error.message for error in validator.iter_errors(tomllib.loads(Path(name).read_text()))]
    for name in sys.argv[2:]
}
print(json.dumps(errors))
