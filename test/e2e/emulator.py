"""moto as an AWS account that a node provisioner can be tried against: python3 emulator.py PORT

What it corrects of moto 5.2.1, in this process:
  CreateFleet   buys the cheapest pool of a price table (moto: the first override, whatever it costs);
                pools that are sold out give error rows and the next one is taken; instances of one pool
                share a row; a known ClientToken gives the same answer, or IdempotentParameterMismatch
                where anything else differs; instances get EC2's own tags, the template's security
                groups and instance profile.
  SSM           has image parameters for EKS (moto knows none of them).
  Pricing       answers GetProducts from the same table.
  EKS           has access entries.
What it cannot: spot that is taken back, quotas, IAM permissions, free addresses that go down, zones
that differ in what they sell, capacity reservations, or answers that are late to know of a change.

POST /__emulator {"prices": {TYPE: USD}, "soldOut": [[CAPACITY, TYPE, ZONE]], "faults": [...]}, * for any.
A fault: {"action": ..., "kind": "refuse" | "hang" | "garble", "code": ..., "status": ..., "times": N}: refused
before, or done and then never answered, or done and answered with XML that does not parse.
GET /__emulator counts the calls by action.
"""
import collections, io, json, os, sys, time
from urllib.parse import parse_qs, unquote

os.environ.setdefault("MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION", "true")
from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import fleets
from moto.ec2.responses import EC2Response
from moto.ec2.responses.fleets import Fleets
from moto.eks import urls as eks_urls
from moto.eks.exceptions import ResourceNotFoundException
from moto.eks.responses import EKSResponse
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.ssm.models import Parameter, ParameterDict
from werkzeug.serving import run_simple
from werkzeug.wrappers import Request, Response

PRICES, SOLD_OUT, FAULTS, ENTRIES = {}, [], [], {}
CALLS = collections.Counter()
IMAGES = {"x86_64": "ami-04681a1dbd79675a5", "arm64": "ami-0e9271c829888680e"}


def price(capacity, spec):
    usual = PRICES.get(spec.instance_type, 1e9)
    return usual * 0.3 if capacity == "spot" else usual


def choose_pool(self, count):
    """In place of moto's: the cheapest pool that is not sold out, and a row for each that is."""
    left = []
    for spec in self.launch_specs:
        zone = self.ec2_backend.get_subnet(spec.subnet_id).availability_zone
        pool = (self.buying, spec.instance_type, zone)
        if any(all(rule in ("*", part) for rule, part in zip(sold, pool)) for sold in SOLD_OUT):
            self.rows.append((spec, zone))
        else:
            left.append(spec)
    if not left:
        return {}, 0.0
    cheapest = min(left, key=lambda spec: (price(self.buying, spec), spec.instance_type))
    return {cheapest: int(count)}, float(count)


def buying(capacity, create):
    def wrapped(self, weight):
        self.buying, self.rows = capacity, getattr(self, "rows", [])
        return create(self, weight)
    return wrapped


fleets.Fleet.get_launch_spec_counts = choose_pool
fleets.Fleet.create_spot_requests = buying("spot", fleets.Fleet.create_spot_requests)
fleets.Fleet.create_on_demand_requests = buying("on-demand", fleets.Fleet.create_on_demand_requests)
usual_create_fleet = Fleets.create_fleet


def create_fleet(self):
    backend = self.ec2_backend
    seen = backend.__dict__.setdefault("_tokens", {})
    token = self._get_param("ClientToken")
    asked = json.dumps([self._get_param(k) for k in ("LaunchTemplateConfigs", "TargetCapacitySpecification", "TagSpecifications", "Context")], sort_keys=True, default=str)
    if token in seen:
        if seen[token][0] == asked:
            return ActionResult(seen[token][1])
        raise EC2ClientError("IdempotentParameterMismatch", "The client token was used before with other parameters.")
    answer = usual_create_fleet(self).result
    fleet = backend.get_fleet(answer["FleetId"])
    rows = {}
    for one in answer.get("Instances", []):
        rows.setdefault(json.dumps(one["LaunchTemplateAndOverrides"], sort_keys=True, default=str), {**one, "InstanceIds": []})["InstanceIds"] += one["InstanceIds"]
    for row in rows.values():
        template = row["LaunchTemplateAndOverrides"]["LaunchTemplateSpecification"]
        data = backend.get_launch_template(template["LaunchTemplateId"]).get_version(template["Version"]).data
        groups = [g for i in data.get("NetworkInterfaces", [])[:1] for g in i.get("Groups", [])]
        profile = (data.get("IamInstanceProfile") or {}).get("Name")
        for instance in row["InstanceIds"]:
            backend.create_tags([instance], {"aws:ec2:fleet-id": fleet.id, "aws:ec2launchtemplate:id": template["LaunchTemplateId"], "aws:ec2launchtemplate:version": template["Version"]})
            if groups:
                backend.modify_instance_security_groups(instance, groups)
            if profile:
                backend.associate_iam_instance_profile(instance_id=instance, iam_instance_profile_name=profile)
    answer["Instances"] = list(rows.values())
    answer["Errors"] = [
        {"LaunchTemplateAndOverrides": {"LaunchTemplateSpecification": s.launch_template_spec, "Overrides": s.overrides}, "Lifecycle": fleet.buying, "ErrorCode": "InsufficientInstanceCapacity", "ErrorMessage": f"We currently do not have sufficient {s.instance_type} capacity in {zone}."}
        for s, zone in getattr(fleet, "rows", [])
    ]
    if token:
        seen[token] = (asked, answer)
    return ActionResult(answer)


EC2Response.create_fleet = create_fleet


def entries(self):
    return ENTRIES.setdefault(self._get_param("clusterName") or self._get_param("name"), {})


def create_access_entry(self):
    entry = {"principalArn": self._get_param("principalArn"), "type": self._get_param("type") or "STANDARD", "kubernetesGroups": self._get_param("kubernetesGroups") or []}
    entries(self)[entry["principalArn"]] = entry
    return ActionResult({"accessEntry": entry})


def describe_access_entry(self):
    entry = entries(self).get(unquote(self._get_param("principalArn") or ""))
    if entry is None:
        raise ResourceNotFoundException(message="The access entry is not there.")
    return ActionResult({"accessEntry": entry})


EKSResponse.create_access_entry = create_access_entry
EKSResponse.describe_access_entry = describe_access_entry
EKSResponse.list_access_entries = lambda self: ActionResult({"accessEntries": list(entries(self))})
for path in ("access-entries$", "access-entries/(?P<principalArn>.+)$"):
    eks_urls.url_paths["{0}/clusters/(?P<name>[^/]+)/" + path] = eks_urls.response.dispatch
usual_loading = ParameterDict._check_loading_status


def with_images(self, key):
    if str(key).startswith("/aws/service/eks/") and not dict.__contains__(self, key):
        image = IMAGES["arm64" if "arm64" in key else "x86_64"]
        dict.__setitem__(self, key, [Parameter(account_id=self.account_id, name=key, value=image, parameter_type="String", description=None, allowed_pattern=None, keyid=None, last_modified_date=0, version=1, data_type="text")])
    return usual_loading(self, key)


ParameterDict._check_loading_status = with_images


def product(kind, usd):
    terms = {"OnDemand": {"t": {"priceDimensions": {"d": {"unit": "Hrs", "pricePerUnit": {"USD": str(usd)}}}}}}
    return json.dumps({"product": {"productFamily": "Compute Instance", "attributes": {"instanceType": kind, "regionCode": "us-east-1", "operatingSystem": "Linux"}}, "terms": terms})


app = DomainDispatcherApplication(create_backend_app)


def front(environ, start):
    request = Request(environ)
    if request.path == "/__emulator":
        said = request.get_json(silent=True) or {}
        PRICES.update(said.get("prices", {}))
        for key, held in (("soldOut", SOLD_OUT), ("faults", FAULTS)):
            held[:] = said.get(key, held)
        return Response(json.dumps(CALLS), content_type="application/json")(environ, start)
    body = request.get_data()
    environ["wsgi.input"] = io.BytesIO(body)
    action = parse_qs(body.decode(errors="replace")).get("Action", [""])[0] or request.headers.get("X-Amz-Target", "").split(".")[-1]
    CALLS[action] += 1
    if action == "GetProducts":
        return Response(json.dumps({"FormatVersion": "aws_v1", "PriceList": [product(*each) for each in PRICES.items()]}), content_type="application/x-amz-json-1.1")(environ, start)
    fault = next((one for one in FAULTS if one["action"] in ("*", action) and one["times"] > 0), None)
    if fault is None:
        return app(environ, start)
    fault["times"] -= 1
    if fault["kind"] == "refuse":
        text = f"<Response><Errors><Error><Code>{fault['code']}</Code><Message>{fault.get('message', 'no')}</Message></Error></Errors><RequestID>r</RequestID></Response>"
        return Response(text, status=fault.get("status", 400), content_type="text/xml")(environ, start)
    done = Response.from_app(app, environ)
    if fault["kind"] == "hang":
        time.sleep(fault.get("seconds", 3))
        return done(environ, start)
    return Response(done.get_data()[:-40] + b"<<", content_type="text/xml")(environ, start)


if __name__ == "__main__":
    run_simple("127.0.0.1", int(sys.argv[1]), front, threaded=True)
