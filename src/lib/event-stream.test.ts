import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitFrames, toStreamEvent } from './event-stream.ts'

const wire =
  'retry: 2000\n\n: heartbeat\n\nid: 41\nevent: job.status.changed\ndata: {"resource":{"type":"job","id":"j"},"to":"QUEUED"}\n\n' +
  'id: 42\r\nevent: reset\r\ndata: {}\r\n\r\nid: 43\nevent: run.step.completed\ndata: {"a":\ndata: 1}\n\n'

describe('server-sent events', () => {
  it('are frames between blank lines; comments are dropped', () => {
    expect(splitFrames(wire)).toEqual({
      rest: '',
      frames: [
        { id: '41', event: 'job.status.changed', data: '{"resource":{"type":"job","id":"j"},"to":"QUEUED"}' },
        { id: '42', event: 'reset', data: '{}' },
        { id: '43', event: 'run.step.completed', data: '{"a":\n1}' },
      ],
    })
  })
  it('are the same frames however the network cuts them', () => {
    const text = wire.replaceAll('\r', '')
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length]
        let rest = ''
        const frames = at.slice(1).flatMap((end, i) => {
          const read = splitFrames(rest + text.slice(at[i], end))
          rest = read.rest
          return read.frames
        })
        expect(frames).toEqual(splitFrames(text).frames)
      }),
      { seed: 11, numRuns: 200 },
    )
  })
  it('become events; what is not JSON is dropped', () => {
    expect(toStreamEvent({ id: '41', event: 'job.status.changed', data: '{"to":"QUEUED"}' })).toEqual({
      id: '41',
      topic: 'job.status.changed',
      to: 'QUEUED',
    })
    expect(toStreamEvent({ event: 'x', data: '{' })).toBeNull()
  })
})
