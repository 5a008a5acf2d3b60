import { describe, expect, it } from 'vitest'
import { type Condition, mayMatchAgents, parseCondition } from './condition.rules.ts'
import { matches } from './evaluate.rules.ts'
import { globMatches, isOnlyWildcards } from './glob.rules.ts'
import type { RuleSubject } from './rule-subject.ts'
import { SUBJECT } from './testing/subject.ts'

const twoFiles = (path: string): RuleSubject => ({
  ...SUBJECT,
  changes: [...SUBJECT.changes, { path, type: 'replace', additions: 1, deletions: 2 }],
})

describe('a condition holds', () => {
  it.each<[string, Condition, RuleSubject, boolean]>([
    ['a value', { action: 'propose-edit' }, SUBJECT, true],
    ['another value', { action: 'propose-tag' }, SUBJECT, false],
    ['one of', { action: { in: ['propose-tag', 'propose-edit'] } }, SUBJECT, true],
    ['none of', { action: { in: ['propose-tag'] } }, SUBJECT, false],
    ['a prefix', { 'target.path': { prefix: 'notes/Log/' } }, SUBJECT, true],
    ['another prefix', { 'target.path': { prefix: 'notes/Log2/' } }, SUBJECT, false],
    ['a glob', { 'target.path': { glob: 'notes/*/M??.md' } }, SUBJECT, true],
    [
      'every changed file in scope',
      { 'target.path': { prefix: 'notes/Log/' } },
      twoFiles('Log/June.md'),
      true,
    ],
    [
      'one changed file out of scope',
      { 'target.path': { prefix: 'notes/Log/' } },
      twoFiles('Beds.md'),
      false,
    ],
    ['every type', { 'changes.type': { in: ['append', 'replace'] } }, twoFiles('Log/June.md'), true],
    ['one other type', { 'changes.type': 'append' }, twoFiles('Log/June.md'), false],
    ['at most', { additions: { lte: 3 }, deletions: { lte: 0 }, files: { lte: 1 } }, SUBJECT, true],
    ['more than', { additions: { lte: 2 } }, SUBJECT, false],
    ['at least', { additions: { gte: 3 } }, SUBJECT, true],
    ['between', { additions: { gte: 4, lte: 9 } }, SUBJECT, false],
    ['a sum over files', { deletions: 2 }, twoFiles('Log/June.md'), true],
    ['one of two does not hold', { action: 'propose-edit', agent: 'other' }, SUBJECT, false],
    ['no agent', { agent: { glob: 'g*' } }, { ...SUBJECT, agent: null }, false],
    ['nothing', {}, SUBJECT, false],
    ['an unknown field', { mood: 'good' }, SUBJECT, false],
    ['a number for a text', { action: { lte: 3 } }, SUBJECT, false],
    ['a text for a number', { files: { prefix: '1' } }, SUBJECT, false],
  ])('%s', (_, condition, subject, holds) => expect(matches(condition, subject)).toBe(holds))
})

describe('a condition is refused', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['no map', 'all', 'condition', /map/],
    ['a list', [], 'condition', /map/],
    ['null', null, 'condition', /map/],
    ['empty', {}, 'condition', /empty/],
    ['an unknown field', { mood: 'good' }, 'condition.mood', /no field.*target\.path/],
    ['what objects inherit', { constructor: 'x' }, 'condition.constructor', /no field/],
    ['an empty value', { action: '' }, 'condition.action', /exactly one/],
    ['an empty prefix', { 'target.path': { prefix: '' } }, 'condition.target.path', /prefix/],
    ['two operators', { action: { prefix: 'a', glob: 'b' } }, 'condition.action', /exactly one/],
    ['an unknown operator', { action: { not: 'a' } }, 'condition.action', /exactly one/],
    ['an empty list', { action: { in: [] } }, 'condition.action', /1 to 50/],
    ['a list of other things', { action: { in: [1] } }, 'condition.action', /1 to 50/],
    ['only wildcards', { 'target.path': { glob: '**/*' } }, 'condition.target.path', /one character/],
    ['a bound for a text', { action: { lte: 3 } }, 'condition.action', /exactly one/],
    ['a text for a number', { files: 'one' }, 'condition.files', /number/],
    ['a fraction', { files: 1.5 }, 'condition.files', /number/],
    ['less than nothing', { files: { gte: -1 } }, 'condition.files', /number/],
    ['bounds that exclude each other', { files: { gte: 3, lte: 2 } }, 'condition.files', /exceed/],
    ['logic', { action: 'logic-update' }, 'condition.action', /never/],
    ['logic in a list', { action: { in: ['propose-edit', 'logic-rollback'] } }, 'condition.action', /never/],
    ['logic by prefix', { action: { prefix: 'Logic-' } }, 'condition.action', /never/],
    ['logic by type', { 'target.type': 'logic' }, 'condition.target.type', /never/],
    ['logic by path', { 'target.path': { glob: 'logic/*' } }, 'condition.target.path', /never/],
  ])('%s', (_, given, field, why) => {
    const read = parseCondition(given)
    expect(read).toMatchObject({ ok: false, refusal: { code: 'VALIDATION_FAILED', details: [{ field }] } })
    if (!read.ok) expect(read.refusal.message).toMatch(why)
  })

  it('with every fault at once', () => {
    const read = parseCondition({ mood: 'good', files: 'one', action: 'propose-tag' })
    expect(read.ok ? [] : read.refusal.details).toHaveLength(2)
  })
})

describe('globs', () => {
  it.each([
    ['notes/*.md', 'notes/a.md', true],
    ['notes/*.md', 'notes/a/b.md', false],
    ['notes/**.md', 'notes/a/b.md', true],
    ['notes/**/b.md', 'notes/a/b.md', true],
    ['notes/?.md', 'notes/й.md', true],
    ['notes/?.md', 'notes//.md', false],
    ['a.c', 'abc', false],
    ['a*', 'a', true],
    ['*a', 'ba', true],
    ['a', 'aa', false],
  ])('%s of %s', (glob, text, holds) => expect(globMatches(glob, text)).toBe(holds))

  it('cost no more for a hostile one', () => {
    expect(globMatches(`${'*a'.repeat(99)}b`, 'a'.repeat(1000))).toBe(false)
    expect(['*', '**/?', '/'].every(isOnlyWildcards)).toBe(true)
  })
})

it.each<[Condition, boolean]>([
  [{ action: 'propose-tag' }, true],
  [{ 'source.identity': 'owner' }, false],
  [{ 'source.identity': 'agent:tagger' }, true],
  [{ 'source.identity': { prefix: 'a' } }, true],
  [{ 'source.identity': { glob: 'o*' } }, true],
  [{ 'source.identity': { prefix: 'webhook:' } }, false],
  [{ 'source.type': { in: ['ui', 'webhook'] } }, false],
  [{ 'source.type': 'agent', agent: 'tagger' }, true],
])('%j may match agents: %s', (condition, may) => expect(mayMatchAgents(condition)).toBe(may))
