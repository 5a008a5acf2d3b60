/**
 * Reads server-sent events by fetch and not by EventSource: the heartbeat is a comment, which EventSource hides, and without
 * it a dead connection looks like a quiet one.
 */
export type StreamEvent = {
  id: string
  topic: string
  resource?: { type: string; id: string }
  from?: string
  to?: string
  summary?: string
  ts?: string
}

type Frame = { id?: string; event: string; data: string }

/** Splits what has arrived into whole frames and the rest that waits for more. Comments and unknown fields are dropped. */
export function splitFrames(buffer: string): { frames: Frame[]; rest: string } {
  const parts = buffer.replaceAll('\r\n', '\n').split('\n\n')
  const rest = parts.pop() ?? ''
  return { frames: parts.map(parseFrame).filter((f): f is Frame => f !== null), rest }
}

function parseFrame(text: string): Frame | null {
  const frame: Frame = { event: 'message', data: '' }
  let seen = false
  for (const line of text.split('\n')) {
    const at = line.indexOf(':')
    if (at <= 0) continue
    const value = line.slice(at + 1).replace(/^ /, '')
    const field = line.slice(0, at)
    if (field === 'id') frame.id = value
    else if (field === 'event') frame.event = value
    else if (field === 'data') frame.data += frame.data ? `\n${value}` : value
    else continue
    seen = true
  }
  return seen ? frame : null
}

/** The event of a frame; null when its data is not what we know. */
export function toStreamEvent(frame: Frame): StreamEvent | null {
  try {
    const data = JSON.parse(frame.data || '{}') as Partial<StreamEvent>
    return { ...data, id: frame.id ?? String(data.id ?? ''), topic: frame.event }
  } catch {
    return null
  }
}

type Reading = {
  url: string
  lastId: string | undefined
  signal: AbortSignal
  /** Called for every piece that arrives, heartbeats included. */
  onAlive: () => void
  onFrame: (frame: Frame) => void
}

/** Reads until the server closes or the signal aborts; answers the HTTP status when the stream was refused. */
export async function readStream({ url, lastId, signal, onAlive, onFrame }: Reading): Promise<number> {
  const headers: Record<string, string> = { accept: 'text/event-stream', 'x-garden': '1' }
  if (lastId) headers['last-event-id'] = lastId
  const response = await fetch(url, { headers, signal, cache: 'no-store', credentials: 'same-origin' })
  if (!response.ok || !response.body) return response.status
  onAlive()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let buffer = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return response.status
    onAlive()
    const { frames, rest } = splitFrames(buffer + value)
    buffer = rest
    for (const frame of frames) onFrame(frame)
  }
}
