import { describe, expect, it } from 'vitest'
import { annotationPath, commentPath, isOfRuntime, parseTarget, summaryPath } from './target.rules.ts'
import { TRAVERSAL_VECTORS } from './traversal-vectors.ts'

describe('addresses', () => {
  it('reads each space', () => {
    expect(parseTarget('notes/Beds/North bed.md')).toMatchObject({
      value: { space: 'notes', path: 'Beds/North bed.md' },
    })
    expect(parseTarget('agents/link-gardener')).toMatchObject({
      value: { slug: 'link-gardener', path: null },
    })
    expect(parseTarget('agents/link-gardener/_agent.md')).toMatchObject({
      value: { space: 'agents', slug: 'link-gardener', path: 'agents/link-gardener/_agent.md' },
    })
    expect(parseTarget('artifacts/art-0b8f7a5e-2d3c-4e5f-8a9b-0c1d2e3f4a5b')).toMatchObject({
      value: { space: 'artifacts', artifactId: 'art-0b8f7a5e-2d3c-4e5f-8a9b-0c1d2e3f4a5b' },
    })
    expect(parseTarget('memory/link-gardener')).toMatchObject({
      value: { space: 'memory', slug: 'link-gardener' },
    })
    expect(parseTarget('logic/link-gardener')).toMatchObject({ value: { space: 'logic' } })
  })

  it.each([
    ...[
      '',
      'notes',
      'notes/',
      'agents/',
      'agents/UPPER',
      'agents/-x',
      'agents/a b/_agent.md',
      'agents/x/../y',
    ],
    ...[
      'notes/agents/x.md',
      'notes/_bloom/x.md',
      'notes/AGENTS/x.md',
      'artifacts/art-1',
      'memory/a/b',
      'jobs/x',
    ],
    ...['/notes/x.md', 'Notes/x.md', 'logic/', 'agents/x/'],
    ...['agents/x/runs', 'agents/x/runs/a/manifest.json', 'agents/x/Runs/a.md', 'agents/x/state.json'],
  ])('refuses %s', (address) => {
    expect(parseTarget(address)).toMatchObject({ ok: false, refusal: { code: 'PATH_NOT_ALLOWED' } })
  })

  it("takes for the runtime's no more than its own names in the folder of an agent", () => {
    expect(['agents/x/runs', 'agents/X y/state.json', 'agents/x/RUNS/a'].map(isOfRuntime)).not.toContain(
      false,
    )
    const others = [
      'agents/runs',
      'agents/runs/_agent.md',
      'agents/x/sources/runs/a.md',
      'a/x/runs/b',
      'agents',
    ]
    expect(others.map(isOfRuntime)).not.toContain(true)
    expect(parseTarget('agents/runs/_agent.md').ok).toBe(true)
    expect(parseTarget('agents/x/runs.md').ok).toBe(true)
  })

  it('lets no traversal through, whatever the space', () => {
    for (const vector of TRAVERSAL_VECTORS) {
      expect(parseTarget(`notes/${vector}`).ok, JSON.stringify(vector)).toBe(false)
      if (vector !== '') expect(parseTarget(`agents/x/${vector}`).ok, JSON.stringify(vector)).toBe(false)
    }
  })

  it('knows the files of comments, summaries and annotations', () => {
    expect(commentPath('notes/a.md', 'prop_1')).toBe('_bloom/comments/a.md/prop_1.md')
    expect(commentPath('agents/x', 'prop_1')).toBe('_bloom/comments/agents/x/prop_1.md')
    expect(summaryPath('a.md')).toBe('_bloom/summaries/a.md')
    expect(annotationPath('art-1')).toBe('_bloom/annotations/artifacts/art-1/tags.json')
  })
})
