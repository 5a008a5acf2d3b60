import { describe, expect, it } from 'vitest'
import { fieldsOf, newDefinition, raised, withField } from './definition-text.ts'

const BY_HAND = `---
name: 'Bed''s keeper' # ours
slug: keeper
version: 1.2.3
model: extractive
tools:
  - read-notes
  - create-proposal
safe_outputs:
- propose-note
triggers:
  manual: true
  cron: "0 7 * * 1-5"
  events: [note/created]
updated_at: 2026-01-01
---

# Keeper

cron: is a word here
`

describe('the form over a definition', () => {
  it('reads what was written and writes what was read', () => {
    let text = newDefinition('2026-11-22')
    text = withField(text, 'name', 'Людина: "так" #1')
    text = withField(text, 'slug', 'keeper')
    text = withField(text, 'description', 'yes')
    text = withField(text, 'cron', '*/5 * * * *')
    text = withField(text, 'zone', 'Europe/Kyiv')
    text = withField(text, 'events', ['note/created', 'artifact/created'])
    text = withField(text, 'body', 'What grows?\n')
    expect(fieldsOf(text)).toEqual({
      name: 'Людина: "так" #1',
      slug: 'keeper',
      description: 'yes',
      version: '1.0.0',
      model: 'extractive',
      task: '',
      asks: false,
      cron: '*/5 * * * *',
      zone: 'Europe/Kyiv',
      events: ['note/created', 'artifact/created'],
      body: 'What grows?\n',
    })
    expect(text).toContain('description: "yes"')
    const cleared = withField(withField(withField(text, 'cron', ''), 'zone', ''), 'events', [])
    expect(cleared).toContain('triggers:\n  manual: true\ncreated_by')
    const off = withField(text.replace('manual: true', 'manual: false'), 'cron', '0 7 * * *')
    expect(off).toContain('triggers:\n  manual: false\n  cron: "0 7 * * *"')
  })

  it('gives a model the tools of its kind, and takes them back with it', () => {
    const asking = withField(withField(newDefinition('2026-11-22'), 'task', 'research-brief'), 'asks', true)
    const worker = withField(asking, 'model', 'worker/*')
    expect(worker).toContain('model: "worker/*"\n')
    expect(worker).toContain('tools: [search-notes, read-notes, create-proposal, ask-person]\n')
    expect(worker).toContain('safe_outputs: [propose-note, propose-edit]\n')
    expect(fieldsOf(worker)).toMatchObject({ model: 'worker/*', task: '', asks: true })
    const own = withField(withField(worker, 'asks', false), 'model', 'worker/gpu')
    expect(own).toContain('model: worker/gpu\n')
    expect(withField(own, 'model', 'extractive')).toBe(newDefinition('2026-11-22'))
  })

  it('leaves alone what it does not change', () => {
    expect(fieldsOf(BY_HAND)).toMatchObject({ cron: '0 7 * * 1-5', zone: '', events: ['note/created'] })
    const task = withField(BY_HAND, 'task', 'link-suggestions')
    expect(task).toContain('tools: [read-notes, create-proposal]\nsafe_outputs: [propose-edit]\ntriggers:')
    expect(task).toContain('\ntask: link-suggestions\n---\n')
    expect(withField(task, 'task', '')).not.toContain('task:')
    expect(withField(BY_HAND, 'body', fieldsOf(BY_HAND).body)).toBe(BY_HAND)
    expect(withField('no frontmatter\n', 'name', 'x')).toBe('no frontmatter\n')
  })

  it('lets an agent ask and takes it back, beside its other tools', () => {
    const asking = withField(BY_HAND, 'asks', true)
    expect(fieldsOf(asking).asks).toBe(true)
    expect(asking).toContain(', search-notes, ask-person]')
    expect(fieldsOf(withField(asking, 'task', 'research-brief')).asks).toBe(true)
    expect(fieldsOf(withField(asking, 'task', 'link-suggestions')).asks).toBe(false)
    expect(withField(asking, 'asks', false)).not.toContain('ask-person')
    expect(withField(asking, 'asks', true)).toBe(asking)
  })

  it('begins an edit with a raised version', () => {
    const text = raised(BY_HAND, '2026-11-22')
    expect(fieldsOf(text).version).toBe('1.3.0')
    expect(text).toContain('updated_at: 2026-11-22')
    expect(raised(text.replace('1.3.0', 'next'), '2026-11-22')).toContain('version: next')
  })
})
