/**
 * `npm run bench` prints every figure beside its aim; `npm run bench -- queue` only that programme's. Nothing is asserted about time: the
 * machine decides. One programme at a time, because they would measure each other.
 */
const PROGRAMMES: Record<string, () => Promise<void>> = {
  queue: async () => (await import('./queue.ts')).benchQueue(),
  'job-cost': async () => (await import('./job-cost.ts')).benchJobCost(),
  plans: async () => {
    await (await import('./queue-plans.ts')).benchQueuePlans()
    await (await import('./list-plans.ts')).benchListPlans()
  },
  lists: async () => (await import('./lists.ts')).benchLists(),
  product: async () => (await import('./product.ts')).benchProduct(),
  rules: async () => (await import('./rules.ts')).benchRules(),
  deciding: async () => (await import('./deciding.ts')).benchDeciding(),
  'control-plane': async () => (await import('./control-plane.ts')).benchControlPlane(),
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in PROGRAMMES))
if (unknown.length > 0) {
  console.error(`no such programme: ${unknown.join(', ')}; there are ${Object.keys(PROGRAMMES).join(', ')}`)
  process.exitCode = 1
} else {
  for (const name of asked.length > 0 ? asked : Object.keys(PROGRAMMES)) await PROGRAMMES[name]?.()
}

export {}
