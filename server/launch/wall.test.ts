import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ROOT } from './checkout.mjs'
import { checkWall } from './wall.mjs'

/** One planted fault a rule: the files of a tiny checkout in which exactly that rule is broken. */
const FAULTS: Record<string, Record<string, string>> = {
  resolvable: { 'server/jobs/a.ts': "import '#server/jobs/gone.ts'" },
  'no-cycles': { 'server/jobs/a.ts': "import './b.ts'", 'server/jobs/b.ts': "import './a.ts'" },
  'no-orphans': { 'server/jobs/alone.ts': 'export const alone = 1' },
  'domain-is-pure': { 'src/domain/job/a.ts': "import crypto from 'node:crypto'; export const id = crypto" },
  'contracts-know-domain-and-zod': {
    'src/contracts/a.ts': "import clsx from 'clsx'; export { clsx }",
  },
  'ui-knows-no-room': {
    'src/ui/a.tsx': "import type { X } from '#contracts/job.contract.ts'; export type Y = X",
    'src/contracts/job.contract.ts': 'export type X = 1',
  },
  'lib-knows-no-room': {
    'src/lib/a.ts': "import '#features/jobs/index.ts'",
    'src/features/jobs/index.ts': '',
  },
  'features-by-their-door': {
    'src/features/runs/index.ts': "import '#features/jobs/b.ts'",
    'src/features/jobs/b.ts': '',
  },
  'pages-by-the-door': {
    'app/page.tsx': "import '#features/jobs/columns.tsx'",
    'src/features/jobs/columns.tsx': '',
  },
  'browser-knows-types-only': {
    'src/lib/a.ts': "import { y } from '#server/trpc/router.ts'; y",
    'server/trpc/router.ts': 'export const y = 1',
  },
  'browser-parses-nothing': {
    'src/features/jobs/a.ts': "import { y } from '#contracts/b.ts'; y",
    'src/contracts/b.ts': 'export const y = 1',
  },
  'browser-knows-no-ledger': {
    'src/features/jobs/index.ts': "import type { Row } from '#server/ledger/rows.ts'; export type R = Row",
    'server/ledger/rows.ts': 'export type Row = 1',
  },
  'routes-know-the-edges': {
    'app/page.tsx': "import '#server/jobs/claim-job.ts'",
    'server/jobs/claim-job.ts': '',
  },
  'adapters-only-in-composition': {
    'worker/loops/a.ts': "import '../../server/adapters/clock/system.ts'",
    'server/adapters/clock/system.ts': '',
  },
  'ports-are-types': {
    'server/ports/a.ts': "import type { D } from '#server/jobs/d.ts'; export type E = D",
    'server/jobs/d.ts': 'export type D = 1',
  },
  'ledger-knows-no-room': { 'server/ledger/a.ts': "import '#server/jobs/b.ts'", 'server/jobs/b.ts': '' },
  'rooms-know-no-edge': {
    'server/jobs/a.ts': "import { s } from '#server/composition/create-services.ts'; s",
    'server/composition/create-services.ts': 'export const s = 1',
  },
  'only-edges-know-the-gate': {
    'server/jobs/a.ts': "import type { Visit } from '#server/gate/visit.ts'; export type V = Visit",
    'server/gate/visit.ts': 'export type Visit = 1',
  },
  'operations-know-the-declaration': {
    'server/jobs/jobs.operations.ts': "import '#server/gate/gate.ts'",
    'server/gate/gate.ts': '',
  },
  'operations-are-listed-once': {
    'server/http/a.ts': "import '#server/jobs/jobs.operations.ts'",
    'server/jobs/jobs.operations.ts': '',
  },
  'gate-knows-no-edge': {
    'server/gate/a.ts': "import '#server/http/app.ts'",
    'server/http/app.ts': '',
  },
  'server-renders-nothing': { 'server/jobs/a.ts': "import { useState } from 'react'; useState" },
  'server-only-at-the-edges': { 'server/http/a.ts': "import 'server-only'" },
  'worker-goes-through-composition': {
    'worker/loops/a.ts': "import '#server/http/app.ts'",
    'server/http/app.ts': '',
  },
  'nlm-backend-stands-alone': {
    'server/nlm-backend/a.ts': "import '#server/ledger/transition.ts'",
    'server/ledger/transition.ts': '',
  },
  'edge-knows-what-nodes-need': {
    'worker/edge/a.ts': "import '#server/jobs/claim-job.ts'",
    'server/jobs/claim-job.ts': '',
  },
  'edge-takes-few-packages': { 'worker/edge/a.ts': "import canonicalize from 'canonicalize'; canonicalize" },
  'edge-carries-no-database': {
    'worker/edge/a.ts': "import '#server/ports/clock.ts'",
    'server/ports/clock.ts': "import './other.ts'",
    'server/ports/other.ts': "import pg from 'pg'; pg",
  },
  'nobody-needs-the-edge': { 'worker/loops/a.ts': "import '#worker/edge/b.ts'", 'worker/edge/b.ts': '' },
  'control-plane-stays-small': {
    'server/control-plane/a.ts': "import '#server/composition/create-services.ts'",
    'server/composition/create-services.ts': '',
  },
  'nobody-imports-main': { 'server/jobs/a.ts': "import '#worker/main.ts'", 'worker/main.ts': '' },
  'no-barrels': { 'server/jobs/a.ts': "import '#server/runs/index.ts'", 'server/runs/index.ts': '' },
  'product-knows-no-tests': {
    'server/jobs/a.ts': "import '#server/launch/testing/wait-until.ts'",
    'server/launch/testing/wait-until.ts': '',
  },
  'launch-before-install': { 'server/launch/child.mjs': "import pg from 'pg'; pg" },
  'no-development-packages': { 'server/jobs/a.ts': "import fc from 'fast-check'; fc" },
}

const { forbidden } = createRequire(import.meta.url)(path.join(ROOT, '.dependency-cruiser.cjs'))
const RULES: string[] = forbidden.map((rule: { name: string }) => rule.name)

/** Each room that uses the one above it. */
const ROOMS = [...RULES.filter((rule) => rule.startsWith('order-of-')).map((rule) => rule.slice(9)), 'trpc']
for (const [n, room] of ROOMS.slice(0, -1).entries())
  FAULTS[`order-of-${room}`] = {
    [`server/${room}/a.ts`]: `import '#server/${ROOMS[n + 1]}/b.ts'`,
    [`server/${ROOMS[n + 1]}/b.ts`]: '',
  }

/** What a house in order looks like: every import here is allowed. */
const IN_ORDER = {
  'src/domain/job/job.machine.ts':
    "import type { Id } from '../kernel/ids.ts'; export const job = {} as Record<Id, 1>",
  'src/domain/kernel/ids.ts': 'export type Id = string',
  'src/contracts/job.contract.ts':
    "import { z } from 'zod'; import { job } from '#domain/job/job.machine.ts'; export const j = z.literal(Object.keys(job))",
  'src/ui/badge.tsx': "import clsx from 'clsx'; import '#lib/keys.ts'; export const Badge = clsx",
  'src/lib/keys.ts': "import type { AppRouter } from '#server/trpc/router.ts'; export type R = AppRouter",
  'src/features/jobs/index.ts': "import './columns.tsx'; import '#features/runs/index.ts'",
  'src/features/jobs/columns.tsx':
    "import '#ui/badge.tsx'; import type { X } from '#contracts/job.contract.ts'; export type Y = X",
  'src/features/runs/index.ts': '',
  'app/page.tsx': "import '#features/jobs/index.ts'; import '#server/trpc/router.ts'",
  'server/trpc/router.ts': "import '#server/composition/all-operations.ts'; export type AppRouter = 1",
  'server/composition/all-operations.ts':
    "import '#server/operations/operation.ts'; import '#server/jobs/jobs.operations.ts'",
  'server/operations/operation.ts':
    "import type { Services } from '#server/services.ts'; export type Context = Services",
  'server/jobs/jobs.operations.ts': "import './claim-job.ts'; import '#server/operations/operation.ts'",
  'server/jobs/claim-job.ts':
    "import type { Services } from '#server/services.ts'; import '#server/ledger/transition.ts'; export type S = Services",
  'server/ledger/transition.ts': "import sql from 'sql-template-tag'; sql",
  'server/services.ts': "import type { Clock } from '#server/ports/clock.ts'; export type Services = Clock",
  'server/ports/clock.ts': 'export type Clock = 1',
  'server/adapters/clock/system.ts':
    "import type { Clock } from '#server/ports/clock.ts'; export const c: Clock = 1",
  'server/composition/create-services.ts': "import '#server/adapters/clock/system.ts'",
  'worker/main.ts': "import '#server/composition/create-services.ts'",
  'worker/edge/main.ts': "import './store.ts'; import { z } from 'zod'; z",
  'worker/edge/store.ts': "import '#server/adapters/object-store/directory.ts'",
  'server/adapters/object-store/directory.ts':
    "import type { Clock } from '#server/ports/clock.ts'; export const c: Clock = 1",
}

let base = ''
afterEach(() => fs.rmSync(base, { recursive: true, force: true }))

function plant(files: Record<string, string>): string {
  base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-wall-')))
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(base, 'package.json'))
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(base, 'node_modules'))
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(base, file)), { recursive: true })
    fs.writeFileSync(path.join(base, file), text)
  }
  return base
}

describe('the wall', () => {
  test('has a planted fault for every rule', () => {
    expect(Object.keys(FAULTS).sort()).toEqual([...RULES].sort())
  })

  test.each(RULES)('catches what breaks %s', async (rule) => {
    const { faults } = await checkWall(plant(FAULTS[rule] ?? {}))
    expect(faults.map((fault) => fault.rule)).toContain(rule)
  })

  test('lets a house in order through, and has read its imports', async () => {
    const report = await checkWall(plant(IN_ORDER))
    expect(report.faults).toEqual([])
    expect(report.dependencies).toBeGreaterThan(Object.keys(IN_ORDER).length)
  })
})
