import { expect, test } from 'vitest'
import { assessRisk, type RiskFacts, riskLevel } from './risk.rules.ts'

const AGENT = { ungrounded: 0, newVersion: false, rejections: 0 }
const PLAIN: RiskFacts = {
  action: 'propose-edit',
  paths: ['Beds/North.md'],
  additions: 3,
  deletions: 0,
  removedFiles: 0,
  base: 'clean',
  agent: AGENT,
  tainted: false,
}

test.each<[string, Partial<RiskFacts>, number, string[]]>([
  ['a plain addition with its sources', {}, 0, []],
  ['the owner’s own has no agent to doubt', { agent: null }, 0, []],
  ['a changed line', { deletions: 1 }, 5, ['deletions']],
  ['20 lines removed', { deletions: 20 }, 5, ['deletions']],
  ['21 lines removed', { deletions: 21 }, 10, ['deletions']],
  ['101 lines removed are large, too', { deletions: 101 }, 30, ['deletions', 'size']],
  ['100 lines', { additions: 100 }, 0, []],
  ['101 lines', { additions: 101 }, 10, ['size']],
  ['501 lines', { additions: 501 }, 20, ['size']],
  ['a removed file counts once, not by its lines', { removedFiles: 1, deletions: 90 }, 30, ['removes_file']],
  ['six files', { paths: ['1', '2', '3', '4', '5', '6'] }, 10, ['files']],
  ['an agent’s definition', { paths: ['agents/gardener/_agent.md'] }, 40, ['definition']],
  ['logic', { action: 'logic-update' }, 40, ['logic']],
  ['memory', { action: 'memory-update' }, 10, ['memory']],
  ['a file that moved on and merges', { base: 'mergeable' }, 10, ['drift']],
  ['a conflict', { base: 'conflict' }, 25, ['conflict']],
  ['text that is not trusted', { tainted: true }, 30, ['tainted']],
  ['no sources', { agent: { ...AGENT, ungrounded: 1 } }, 20, ['ungrounded']],
  ['one of three sources wrong', { agent: { ...AGENT, ungrounded: 1 / 3 } }, 7, ['ungrounded']],
  ['a version that nothing was applied of', { agent: { ...AGENT, newVersion: true } }, 10, ['new_version']],
  ['rejected twice', { agent: { ...AGENT, rejections: 2 } }, 20, ['rejected_before']],
  ['rejected nine times', { agent: { ...AGENT, rejections: 9 } }, 30, ['rejected_before']],
  [
    'everything: the weightiest first, and never above 100',
    {
      action: 'logic-update',
      tainted: true,
      base: 'conflict',
      removedFiles: 2,
      agent: { ungrounded: 1, newVersion: true, rejections: 3 },
    },
    100,
    ['logic', 'removes_file', 'tainted', 'rejected_before', 'conflict', 'ungrounded', 'new_version'],
  ],
])('%s', (_, facts, score, codes) => {
  const risk = assessRisk({ ...PLAIN, ...facts })
  expect(risk.score).toBe(score)
  expect(risk.reasons.map(({ code }) => code)).toEqual(codes)
  expect(assessRisk({ ...PLAIN, ...facts })).toEqual(risk)
  const sum = risk.reasons.reduce((total, { points }) => total + points, 0)
  expect(Math.min(100, sum)).toBe(score)
})

test.each([
  [0, 'low'],
  [29, 'low'],
  [30, 'medium'],
  [59, 'medium'],
  [60, 'high'],
  [100, 'high'],
])('%i is %s', (score, level) => {
  expect(riskLevel({ score })).toBe(level)
})
