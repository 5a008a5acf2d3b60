import { promises as fs } from 'node:fs'
import git, { type HttpClient } from 'isomorphic-git'
import { BRANCH } from '#server/adapters/git-repository/branch-file.ts'
import { type GitRemote, type PushFault, pushFault } from '#server/ports/git-remote.ts'
import { authorizationOf } from '#server/ports/remote-address.ts'
import { redactText } from '#server/redaction/redact.ts'

/**
 * A remote over the smart HTTP protocol (GitHub, GitLab, Forgejo …), by the library: no git is needed. The remote moves its branch from the commit
 * it has told of, so a commit that somebody else pushes meanwhile is not overwritten either. Redirects are not followed: the credentials
 * are for the configured address alone.
 */
export function httpRemote(gitdir: string, at: { url: string; user: string; password: string }): GitRemote {
  const authorization = authorizationOf(at)
  return {
    address: at.url,
    async push(commit, signal) {
      try {
        await git.push({
          fs: READ_ONLY,
          http: clientOf(signal),
          gitdir,
          url: at.url,
          ref: commit,
          remoteRef: BRANCH,
          remote: 'garden-remote',
          corsProxy: '',
          headers: { 'user-agent': 'git/garden-bloom', ...(authorization ? { authorization } : {}) },
        })
        return { ok: true }
      } catch (error) {
        return signal.aborted ? pushFault('timeout', 'The remote took too long.') : faultOf(error as Fault)
      }
    },
  }
}

/** The library notes after a push where it believes the remote to be; the garden's repository is not its notebook. */
const READ_ONLY = { promises: { ...fs, writeFile: async () => {}, mkdir: async () => {} } }

const MAX_ANSWER_BYTES = 64 * 1024 * 1024

const clientOf = (signal: AbortSignal): HttpClient => ({
  async request({ url, method = 'GET', headers = {}, body }) {
    const bytes = body ? await wholeOf(body) : null
    const answer = await fetch(url, { method, headers, body: bytes, redirect: 'manual', signal })
    return {
      url,
      method,
      statusCode: answer.status,
      statusMessage: answer.statusText,
      headers: Object.fromEntries(answer.headers),
      body: bounded(answer.body),
    }
  },
})

async function wholeOf(body: AsyncIterable<Uint8Array>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* bounded(body: AsyncIterable<Uint8Array> | null): AsyncIterableIterator<Uint8Array> {
  let left = MAX_ANSWER_BYTES
  for await (const chunk of body ?? []) {
    left -= chunk.length
    if (left < 0) throw new Error('The answer of the remote is too long.')
    yield chunk
  }
}

type Fault = Error & {
  code?: string
  cause?: { code?: string }
  data?: { statusCode?: number; reason?: string; prettyDetails?: string }
}

function faultOf({ code, data, cause, message }: Fault): PushFault {
  if (code === 'PushRejectedError')
    return pushFault(
      'diverged',
      `The branch ${BRANCH} of the remote has commits that the garden does not have.`,
    )
  if (code === 'HttpError') return faultOfStatus(data?.statusCode ?? 0)
  if (code === 'GitPushError')
    return pushFault('rejected', `The remote rejected the push: ${oneLine(data?.prettyDetails ?? message)}`)
  if (code === 'SmartHttpError' || code === 'ParseError' || code === 'EmptyServerResponseError')
    return pushFault('not_found', 'The address answers, but not as a git repository.')
  if (message === 'fetch failed')
    return pushFault('unreachable', `No connection (${cause?.code ?? 'unknown'}).`)
  return pushFault('failed', oneLine(message))
}

function faultOfStatus(status: number): PushFault {
  const message = `The remote answered ${status}.`
  if (status === 401 || status === 403) return pushFault('refused', message)
  if (status === 404 || status === 410) return pushFault('not_found', message)
  if (status >= 300 && status < 400)
    return pushFault('not_found', `${message} Redirects are not followed: configure the address it leads to.`)
  return pushFault(status === 429 || status >= 500 ? 'unreachable' : 'failed', message)
}

const oneLine = (text: string): string => redactText(text.replace(/\s+/g, ' ').trim()).slice(0, 300)
