"""Prints how many resources of each type SAM's own translator makes of a template, as JSON.

A template that `sam validate` would refuse is told instead, and ends it with 1.
"""

import collections
import json
import sys
import warnings

from samtranslator.translator.transform import transform
from samtranslator.validator.validator import SamTemplateValidator
from samtranslator.yaml_helper import yaml_parse


class NoManagedPolicies:
    """The template names managed policies by their ARNs only."""

    def load(self):
        return {}


with open(sys.argv[1], encoding="utf-8") as file:
    template = yaml_parse(file.read())
warnings.simplefilter("ignore", DeprecationWarning)
if errors := SamTemplateValidator().get_errors(template):
    sys.exit("\n".join(errors))
for resource in template["Resources"].values():
    if resource["Type"] == "AWS::Serverless::Function":
        # What `sam deploy` puts there once it has uploaded the folder.
        resource["Properties"]["CodeUri"] = "s3://bucket/key"
translated = transform(template, {}, NoManagedPolicies())
print(json.dumps(collections.Counter(each["Type"] for each in translated["Resources"].values())))
