/** What an instance can be filled with, and what each is for. Plain data: it is read before anything is generated. */
export const SCENARIOS = {
  empty: 'a garden without notes or agents: what a list shows when there is nothing',
  demo: 'the demo garden and its three agents, as the first start makes them',
  busy: 'jobs in every state, runs, proposals to decide and decided, conflicts, zones',
  failing: 'dead and failed jobs by code, agents that fail, proposals that could not be applied',
  large: 'so many rows in every list, with their events sealed (100 000, or as many as --count says)',
} as const

export type ScenarioName = keyof typeof SCENARIOS

export const isScenario = (name: string): name is ScenarioName => name in SCENARIOS
