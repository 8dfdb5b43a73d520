/**
 * Who may import whom. Each layer names what it may use; anything else of ours is an error.
 * The reasons stand in lib/DECISIONS.md; test/architecture.test.ts plants a breach of each rule.
 */
const NOUNS = ['lib/model', 'lib/constraints'];
const CORE = [
  'constraints',
  'model',
  'consent',
  'ec2',
  'solver',
  'disruption',
  'lifecycle',
  'decide',
];
const PACKING = ['lib/solver', 'lib/consent', ...NOUNS];
const LAYERS = {
  'lib/constraints': [],
  'lib/model': ['lib/constraints'],
  'lib/consent': NOUNS,
  'lib/ec2': NOUNS,
  'lib/solver': ['lib/consent', ...NOUNS],
  'lib/disruption': PACKING,
  'lib/lifecycle': ['lib/consent', 'lib/ec2', ...NOUNS],
  'lib/decide': CORE.map((room) => `lib/${room}`),
  'lib/triggers': ['lib/model'],
  'lib/kube': NOUNS,
  'lib/aws': ['lib/ec2', ...NOUNS],
  'lib/observe': ['lib/kube', 'lib/aws', 'lib/ec2', ...NOUNS],
  'lib/act': ['lib/kube', 'lib/aws', 'lib/ec2', ...NOUNS],
  'lib/runtime': ['lib/observe', 'lib/act', 'lib/kube', 'lib/aws', 'lib/triggers', ...NOUNS],
  'lib/sim': NOUNS,
  'lib/cli': ['lib', 'functions', 'infra'],
  functions: ['lib/runtime', 'lib/decide', 'lib/triggers', 'lib/model'],
  infra: ['lib/aws', 'lib/ec2', 'lib/runtime', ...NOUNS],
};
const layerRules = Object.entries(LAYERS).map(([layer, below]) => ({
  name: `${layer} imports downward only`,
  comment: 'If this import is needed, something stands in the wrong folder: see lib/DECISIONS.md.',
  severity: 'error',
  from: { path: `^${layer}/` },
  to: {
    path: '^(lib|functions|infra|test)/',
    pathNot: [layer, ...below].map((room) => `^${room}/`),
  },
}));
const CORE_PATH = `^lib/(${CORE.join('|')})/`;

export default {
  forbidden: [
    ...layerRules,
    {
      name: 'the core is pure',
      comment: 'No node: module, and no package but those that lib/DECISIONS.md allows.',
      severity: 'error',
      from: { path: CORE_PATH },
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'],
        pathNot: 'node_modules/(yaml|smol-toml|@marcbachmann/cel-js)/',
      },
    },
    {
      name: 'functions do not know each other',
      severity: 'error',
      from: { path: '^functions/([^/]+)/' },
      to: { path: '^functions/', pathNot: '^functions/$1/' },
    },
    {
      name: 'only lib/aws speaks to AWS',
      severity: 'error',
      from: { path: '^(lib|functions|infra)/', pathNot: '^lib/aws/' },
      to: { path: 'node_modules/@(aws-sdk|smithy)/' },
    },
    {
      name: 'only lib/kube speaks to Kubernetes',
      severity: 'error',
      from: { path: '^(lib|functions|infra)/', pathNot: '^lib/kube/' },
      to: { path: 'node_modules/@kubernetes/' },
    },
    {
      name: 'nothing imports a test',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'nothing unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.json$' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
