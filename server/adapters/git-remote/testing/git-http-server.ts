import { execFileSync, spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** A real git remote over HTTP for tests: git's own `http-backend` behind a server that asks for a name and a password. */
export type GitHttpServer = {
  url: string
  /** What every request brought; `answer` stands in for git when it is set. */
  requests: { method: string; authorization: string | undefined }[]
  answer: ((response: ServerResponse) => void) | null
  close(): Promise<void>
}

/** Serves the bare repositories below `root`; `credentials` as `name:password`. */
export async function serveGit(root: string, credentials: string): Promise<GitHttpServer> {
  const wanted = `Basic ${Buffer.from(credentials).toString('base64')}`
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend')
  const server = createServer((request, response) => {
    const { authorization } = request.headers
    served.requests.push({ method: request.method ?? '', authorization })
    if (served.answer) return served.answer(response)
    if (authorization !== wanted) return void response.writeHead(401).end()
    run(backend, root, { request, response })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const served: GitHttpServer = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    answer: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return served
}

function run(
  backend: string,
  root: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
) {
  const { pathname, search } = new URL(request.url ?? '', 'http://host')
  const child = spawn(backend, {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      REMOTE_USER: 'gardener',
    },
  })
  request.pipe(child.stdin)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  child.on('close', () => {
    const output = Buffer.concat(chunks)
    const end = output.indexOf('\r\n\r\n')
    const headers = output
      .subarray(0, end)
      .toString('latin1')
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string])
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200'
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(headers.filter(([name]) => name !== 'Status')),
    )
    response.end(output.subarray(end + 4))
  })
}
