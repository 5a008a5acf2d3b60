/**
 * The wall: which folder may know which. Everything points at the pure domain, nothing points back.
 *
 * Run by `npm run wall` (server/launch/wall.mjs); each rule is proved by a planted fault in server/launch/wall.test.ts.
 * `$1` in a rule is what the path of the importing file matched.
 */

const TEST = '\\.(test|spec)\\.tsx?$|/testing/'
const TYPES = { dependencyTypesNot: ['type-only'] }
/** Rooms of the server with use-cases of their own: everything but the edges, the wiring and what runs before the install. */
const ROOM = '^server/(?!(adapters|composition|gate|trpc|http|control-plane|auth|launch|nlm-backend)/)[^/]+/'
/**
 * The rooms of the server, lowest first: a room may use those before it and none behind it. Types may look up: a use-case names the type of
 * its services. A room's operations stand above every room, since they only name use-cases; so does the built-in orchestration, which is the
 * rooms of runs and schedules behind their port.
 */
const ORDER = [
  'redaction',
  'ports',
  'garden',
  'retrieval',
  'concurrency',
  'leadership',
  'ledger',
  'metrics',
  'operations',
  'tokens',
  'adapters',
  'outbound',
  'push-devices',
  'auth',
  'keys',
  'zones',
  'notes',
  'proposals',
  'inbox',
  'agents',
  'jobs',
  'contexts',
  'outbox',
  'runs',
  'schedules',
  'artifacts',
  'search',
  'audit',
  'system',
  'needs',
  'push',
  'dashboard',
  'apply',
  'stream',
  'copies',
  'gate',
  'composition',
  'http',
  'control-plane',
  'trpc',
]
const order = ORDER.slice(0, -1).map((room, n) => ({
  name: `order-of-${room}`,
  comment: `Rooms that need each other are one room: server/${room} stands below what it would use here.`,
  severity: 'error',
  from: { path: `^server/${room}/`, pathNot: `\\.operations\\.ts$|^server/adapters/orchestration/|${TEST}` },
  to: { path: `^server/(${ORDER.slice(n + 1).join('|')})/`, ...TYPES },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...order,
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere hides what it would have broken.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-cycles',
      comment: 'Files that need each other are one file. Types alone may refer to each other.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      comment: 'A file nobody imports, that is nothing the framework or a person starts, is dead.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          `${TEST}|^app/|^e2e/|(^|/)main\\.ts$|\\.d\\.ts$|^prisma/|^server/launch/|^server/control-plane/static/|^[^/]+$`,
        ],
      },
      to: {},
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain imports only itself: no packages, no Node, no clock.',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: TEST },
      to: { pathNot: '^src/domain/' },
    },
    {
      name: 'contracts-know-domain-and-zod',
      comment: 'Contracts are zod schemas over the domain.',
      severity: 'error',
      from: { path: '^src/contracts/', pathNot: TEST },
      to: { pathNot: '^src/(contracts|domain)/|(^|/)node_modules/(zod|@hono/zod-openapi)/' },
    },
    {
      name: 'ui-knows-no-room',
      comment:
        'The design system is presentational: itself, packages and the browser plumbing, no room and no contract.',
      severity: 'error',
      from: { path: '^src/ui/', pathNot: TEST },
      to: { path: '^(app|server|worker|prisma|e2e)/|^src/(?!(ui|lib)/)' },
    },
    {
      name: 'lib-knows-no-room',
      comment: 'Browser plumbing serves every room and knows none.',
      severity: 'error',
      from: { path: '^src/lib/', pathNot: TEST },
      to: { path: '^(app|worker|prisma|e2e)/|^src/features/' },
    },
    {
      name: 'features-by-their-door',
      comment:
        'A room of the console is entered by its index.ts; its messages are plain data for the table of all messages.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/|^src/features/[^/]+/(index|messages)\\.ts$' },
    },
    {
      name: 'pages-by-the-door',
      comment:
        'Routes enter a room by its index.ts; the server side of a page may read its plain messages and inputs, too.',
      severity: 'error',
      from: { path: '^app/' },
      to: {
        path: '^src/features/',
        pathNot: '^src/features/[^/]+/(index|messages|room-messages|input)\\.ts$',
      },
    },
    {
      name: 'browser-knows-types-only',
      comment: 'Browser code takes `import type` of the router from the server and no more.',
      severity: 'error',
      from: { path: '^src/(features|ui|lib)/', pathNot: TEST },
      to: { path: '^server/', ...TYPES },
    },
    {
      name: 'browser-parses-nothing',
      comment:
        "Browser code takes types of the contracts and no values: making a schema tries eval, which the pages' policy refuses.",
      severity: 'error',
      from: { path: '^src/(features|ui|lib)/', pathNot: TEST },
      to: { path: '^src/contracts/', ...TYPES },
    },
    {
      name: 'browser-knows-no-ledger',
      comment: 'The console sees views of the contracts, never a row, the worker or the generated client.',
      severity: 'error',
      from: { path: '^(src|app)/', pathNot: TEST },
      to: { path: '^(worker|prisma)/|^server/(ledger|adapters)/|(^|/)node_modules/(@prisma/|pg/)' },
    },
    {
      name: 'routes-know-the-edges',
      comment: 'Routes of app/ enter the server through its edges, never a use-case.',
      severity: 'error',
      from: { path: '^(app/|proxy\\.ts|instrumentation\\.ts)' },
      to: {
        path: '^server/',
        pathNot: '^server/(trpc|http|auth|composition|stream)/|^server/env\\.ts$',
        ...TYPES,
      },
    },
    {
      name: 'adapters-only-in-composition',
      comment:
        'Which adapter serves a port is decided in one place; the seed imports a garden before anything is composed.',
      severity: 'error',
      from: { pathNot: `^server/(adapters|composition)/|^worker/edge/|^prisma/seed/|^e2e/|${TEST}` },
      to: { path: '^server/adapters/' },
    },
    {
      name: 'ports-are-types',
      comment: 'A port knows the domain and contracts, not who implements or calls it.',
      severity: 'error',
      from: { path: '^server/ports/', pathNot: TEST },
      to: { path: '^(app|worker|server|prisma)/', pathNot: '^server/ports/' },
    },
    {
      name: 'ledger-knows-no-room',
      comment: 'The ledger is below every room.',
      severity: 'error',
      from: { path: '^server/ledger/', pathNot: TEST },
      to: { path: '^(app|worker)/|^server/(?!(ledger|ports|redaction)/|env\\.ts)|^src/(features|ui|lib)/' },
    },
    {
      name: 'rooms-know-no-edge',
      comment:
        'A use-case does not know who calls it, nor how it is wired; it may name the type of its services.',
      severity: 'error',
      from: { path: ROOM, pathNot: TEST },
      to: {
        path: '^(app|worker|e2e)/|^src/(features|ui)/|^server/(trpc|http|control-plane|composition)/',
        ...TYPES,
      },
    },
    {
      name: 'only-edges-know-the-gate',
      comment: 'What a request must pass is known to the gate and the edges; a use-case runs behind it.',
      severity: 'error',
      from: {
        path: '^(server|worker)/',
        pathNot: `^server/(gate|trpc|http|control-plane)/|${TEST}`,
      },
      to: { path: '^server/gate/' },
    },
    {
      name: 'operations-know-the-declaration',
      comment:
        'A room declares its operations with server/operations/operation.ts and knows nothing of the gate.',
      severity: 'error',
      from: { path: '\\.operations\\.ts$' },
      to: { path: '^server/gate/' },
    },
    {
      name: 'operations-are-listed-once',
      comment:
        'Edges derive from one list of all operations; rooms call use-cases of each other, never operations.',
      severity: 'error',
      from: { pathNot: `^server/composition/all-operations\\.ts$|${TEST}` },
      to: { path: '\\.operations\\.ts$' },
    },
    {
      name: 'gate-knows-no-edge',
      comment:
        'One gate for every edge: it does not know which of them asks, nor how the services are wired.',
      severity: 'error',
      from: { path: '^server/gate/', pathNot: TEST },
      to: {
        path: '^(app|worker|e2e)/|^src/(features|ui|lib)/|^server/(trpc|http|adapters|composition)/',
        ...TYPES,
      },
    },
    {
      name: 'server-renders-nothing',
      comment: 'React and the framework belong to the browser and the edges.',
      severity: 'error',
      from: {
        path: `^(worker/|${ROOM.slice(1)}|server/(adapters|composition|gate|control-plane|nlm-backend)/)`,
        pathNot: TEST,
      },
      to: { path: '(^|/)node_modules/(next|react|react-dom|next-auth)/' },
    },
    {
      name: 'server-only-at-the-edges',
      comment: 'The marker throws in a plain Node process, and the worker loads the rest of the server.',
      severity: 'error',
      from: { pathNot: '^server/(trpc|auth)/' },
      to: { path: 'server-only' },
    },
    {
      name: 'worker-goes-through-composition',
      comment: 'The worker composes its services and calls use-cases; it knows no transport and no page.',
      severity: 'error',
      from: { path: '^worker/', pathNot: `^worker/edge/|${TEST}` },
      to: { path: '^app/|^src/(features|ui|lib)/|^server/(adapters|trpc|http)/' },
    },
    {
      name: 'edge-knows-what-nodes-need',
      comment:
        'The edge runs on bare machines: the domain, contracts, the object store and files, nothing of the console.',
      severity: 'error',
      from: { path: '^worker/edge/', pathNot: TEST },
      to: {
        path: '^(app|worker|server|prisma|e2e|src)/',
        pathNot:
          '^worker/edge/|^src/(domain|contracts)/|^server/(ports/|leadership/|concurrency/|adapters/(object-store|file-system)/|launch/process-identity\\.mjs$)',
      },
    },
    {
      name: 'edge-takes-few-packages',
      comment: 'What the edge imports is shipped to every node, so its packages are named one by one.',
      severity: 'error',
      from: { path: '^worker/edge/', pathNot: TEST },
      to: { path: '(^|/)node_modules/', pathNot: '(^|/)node_modules/(zod|semver)/', ...TYPES },
    },
    {
      name: 'edge-carries-no-database',
      comment: 'Nothing that the edge reaches, over however many files, opens a ledger or renders a page.',
      severity: 'error',
      from: { path: '^worker/edge/', pathNot: TEST },
      to: {
        path: '^server/ledger/|^prisma/|(^|/)node_modules/(pg|@prisma|next|react|react-dom|next-auth|pino|hono)/',
        reachable: true,
      },
    },
    {
      name: 'nobody-needs-the-edge',
      comment: 'The edge is a program of its own; the console talks to it over HTTP.',
      severity: 'error',
      from: { pathNot: `^worker/edge/|^e2e/|${TEST}` },
      to: { path: '^worker/edge/' },
    },
    {
      name: 'nlm-backend-stands-alone',
      comment: 'The NotebookLM Backend holds no ledger and no store.',
      severity: 'error',
      from: { path: '^server/nlm-backend/', pathNot: TEST },
      to: {
        path: '^(app|worker|prisma)/|^server/(ledger/|adapters/|composition/(?!log\\.ts)|trpc/|http/|auth/)|(^|/)node_modules/(pg|@prisma)/',
        ...TYPES,
      },
    },
    {
      name: 'control-plane-stays-small',
      comment:
        'The control plane is a small process: of the gateway it takes the mounting of routes, not the routes; no Prisma Client, no garden, no engine.',
      severity: 'error',
      from: { path: '^server/(control-plane/|composition/control-plane-)', pathNot: TEST },
      to: {
        path: '^(app|worker|prisma)/|^src/(features|ui|lib)/|^server/(trpc|garden|retrieval|agents|runs)/|^server/http/(?!(mount-routes|route|signed-message|headers|peer-address)\\.ts)|^server/composition/(create-services|all-operations)\\.ts|^server/ledger/prisma\\.ts|(^|/)node_modules/@prisma/',
        ...TYPES,
      },
    },
    {
      name: 'nobody-imports-main',
      comment: 'A process is a list of loops that is started, never imported.',
      severity: 'error',
      from: {},
      to: { path: '(^|/)main\\.ts$' },
    },
    {
      name: 'no-barrels',
      comment: 'Only a room of the console has an index.ts: server barrels breed cycles.',
      severity: 'error',
      from: {},
      to: { path: '(^|/)index\\.tsx?$', pathNot: '^src/features/[^/]+/index\\.ts$|(^|/)node_modules/' },
    },
    {
      name: 'product-knows-no-tests',
      comment: 'Tests look at the product, not the other way round.',
      severity: 'error',
      from: { path: '^(app|src|server|worker)/', pathNot: TEST },
      to: { path: `${TEST}|^e2e/` },
    },
    {
      name: 'launch-before-install',
      comment: 'What runs before the packages are installed needs none of them.',
      severity: 'error',
      from: {
        path: '^server/launch/(start|test|seed|backup|restore|continue|install|child|checkout|lock|process-identity|progress)\\.mjs$',
      },
      to: {
        pathNot: '^server/launch/(continue|install|child|checkout|lock|process-identity|progress)\\.mjs$',
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'no-development-packages',
      comment: 'The product runs on what package.json calls dependencies.',
      severity: 'error',
      from: { path: '^(app|src|server|worker)/', pathNot: `${TEST}|^server/launch/` },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    // TypeScript 7 has no parser for tools: swc reads the files, types included.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^prisma/generated/|^\\.next/|\\.css$' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.d.ts'],
    },
  },
}
