/** Rules and dashboard speak of metrics and labels that there are. */

import { readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { lacking } from '#server/launch/testing/lacking.ts'
import { CATALOGUE } from '#server/metrics/catalogue.ts'
import { findPromtool } from '#server/metrics/testing/promtool.ts'
import { createNlmMetrics } from '#server/nlm-backend/nlm-metrics.ts'

const read = (name: string) => readFileSync(path.join(import.meta.dirname, name), 'utf8')
type Rule = {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations: Record<string, string>
}
const rules: Rule[] = parse(read('alerts.yml')).groups.flatMap((group: { rules: Rule[] }) => group.rules)
type Panel = { title: string; targets: { expr: string }[] }
const panels: Panel[] = JSON.parse(read('dashboard.json')).panels

/** Series by name with the labels that they may have. */
async function known(): Promise<Map<string, readonly string[]>> {
  const series = new Map<string, readonly string[]>([['up', ['job', 'instance']]])
  for (const [name, { type, labels }] of Object.entries(CATALOGUE))
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      series.set(name + suffix, [...labels, ...(suffix === '_bucket' ? ['le'] : [])])
  const nlm = createNlmMetrics({ depth: () => 0, jobType: 'RESEARCH', provider: 'extractive' })
  for (const { name } of await nlm.registry.getMetricsAsJSON())
    series.set(name, ['outcome', 'type', 'provider'])
  return series
}

/** The faults of an expression: series that nobody has, and labels that its series does not have. */
function faultsOf(expr: string, series: Map<string, readonly string[]>): string[] {
  const used = [...expr.matchAll(/\b(up|(?:garden|nlm|job|lease|pack)_[a-z0-9_]+)\b(?:\{([^}]*)\})?/g)]
  if (used.length === 0) return ['no series']
  const labels = new Set(used.flatMap(([, name = '']) => series.get(name) ?? []))
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/))
  return [
    ...used.flatMap(([, name = '', matchers = '']) => {
      const there = series.get(name)
      if (!there) return [name]
      const asked = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)
      return asked.filter((label) => !there.includes(label)).map((label) => `${name}{${label}}`)
    }),
    ...grouped.filter((label) => !labels.has(label)),
  ]
}

describe('the files for Prometheus and Grafana', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))('rule %s', async (_, rule) => {
    expect(faultsOf(rule.expr, await known())).toEqual([])
    expect(['warning', 'critical']).toContain(rule.labels.severity)
    expect(rule.annotations.summary && rule.annotations.action).toBeTruthy()
  })

  it.each(panels.map((panel) => [panel.title, panel] as const))('panel %s', async (_, { targets }) => {
    const series = await known()
    expect(targets.flatMap(({ expr }) => faultsOf(expr, series))).toEqual([])
  })

  it('would notice a name or a label that is gone', async () => {
    const series = await known()
    expect(faultsOf('sum(garden_jobs_total)', series)).toEqual(['garden_jobs_total'])
    expect(faultsOf('garden_jobs{state="DEAD"}', series)).toEqual(['garden_jobs{state}'])
    expect(faultsOf('sum by (agent) (garden_jobs)', series)).toEqual(['agent'])
    expect(faultsOf('rate(garden_run_seconds[5m])', series)).toEqual(['garden_run_seconds'])
  })
})

const promtool = await findPromtool()
describe('promtool', () => {
  if ('unavailable' in promtool) return it('is there', (context) => lacking(context, promtool.unavailable))
  const check = (...args: string[]) => promtool.run(['check', ...args])

  it('takes the rules and the configuration', async () => {
    const rulesChecked = await check('rules', path.join(import.meta.dirname, 'alerts.yml'))
    expect(rulesChecked.output).toContain(`SUCCESS: ${rules.length} rules found`)
    expect(rulesChecked.code).toBe(0)
    const folder = await mkdtemp(path.join(tmpdir(), 'prometheus-'))
    for (const name of ['prometheus.yml', 'alerts.yml'])
      await copyFile(path.join(import.meta.dirname, name), path.join(folder, name))
    await writeFile(path.join(folder, 'metrics-token'), 'token')
    const configured = await check('config', path.join(folder, 'prometheus.yml'))
    await rm(folder, { recursive: true })
    expect(configured).toMatchObject({ code: 0, output: expect.stringContaining('SUCCESS') })
  })
})
