import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { closeServer, listen } from '#stacks/local/server/listen.ts'

/** Creates a key and a self-signed certificate for local names, as files in a folder of their own. */
async function selfSigned(names: readonly string[] = ['localhost']) {
  const dir = await mkdtemp(join(tmpdir(), 'tls-'))
  const [keyFile, certFile] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  const alternatives = [...names.map((name) => `DNS:${name}`), 'IP:127.0.0.1'].join(',')
  const made =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost'
  const files = ['-keyout', keyFile, '-out', certFile]
  const extension = ['-addext', `subjectAltName=${alternatives}`]
  await promisify(execFile)('openssl', [...made.split(' '), ...files, ...extension])
  const [key, cert] = await Promise.all([readFile(keyFile, 'utf8'), readFile(certFile, 'utf8')])
  return { key, cert, certFile, remove: () => rm(dir, { recursive: true }) }
}

/** Starts an HTTPS server on loopback with a self-signed certificate: `cert`, and as a file `certFile`. */
export async function startTlsServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  names?: readonly string[],
) {
  const { key, cert, certFile, remove } = await selfSigned(names)
  const server = createServer({ key, cert }, answer)
  const port = await listen(server, 0)
  return {
    port,
    cert,
    certFile,
    async close() {
      await closeServer(server, 0)
      await remove()
    },
  }
}
