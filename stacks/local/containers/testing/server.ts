import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

/** The program of tasks in tests: an HTTP server that does what requests ask for. */
const { AGENT_ID, GATEWAY_PORT, WORKSPACE_DIR = '', EXIT_ON_TERM, IGNORE_TERM, STRAY } = process.env
const note = join(WORKSPACE_DIR, 'note')
let ready = true

if (EXIT_ON_TERM !== undefined) process.on('SIGTERM', () => process.exit(Number(EXIT_ON_TERM)))
if (IGNORE_TERM !== undefined) process.on('SIGTERM', () => {})
if (STRAY !== undefined) spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref()

const answers: Record<string, (query: URLSearchParams) => string> = {
  '/environment': () => JSON.stringify(process.env),
  '/note': (query) => {
    const text = query.get('text')
    if (text !== null) writeFileSync(note, text)
    return existsSync(note) ? readFileSync(note, 'utf8') : ''
  },
  '/print': (query) => {
    process.stdout.write(query.get('text') ?? '')
    process.stderr.write(query.get('error') ?? '')
    return ''
  },
  '/ready': (query) => {
    ready = query.get('is') === 'true'
    return ''
  },
  '/exit': (query) => process.exit(Number(query.get('code'))),
}

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  // An agent's gateway sends this header too.
  if (AGENT_ID !== undefined) response.setHeader('agent-id', AGENT_ID)
  if (pathname === '/readyz') response.writeHead(ready ? 200 : 503).end()
  else response.end(answers[pathname]?.(searchParams))
}).listen(Number(GATEWAY_PORT), '127.0.0.1')
