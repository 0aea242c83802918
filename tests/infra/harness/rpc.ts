import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { root } from './paths.ts'

/** A component's build request to the CLI, with only the fields that this project uses. */
export interface Build {
  functionID: string
  handler: string
  bundle?: string
  /** `worker` for Cloudflare's components, whose handler is the bundle itself. */
  runtime?: string
  links: Record<string, Record<string, unknown>>
}

interface Call {
  method: string
  params: [Build]
}

/**
 * The part of the CLI that components call over HTTP. After a build (`dist` exists), a function's bundle must exist;
 * before it, the empty folder `placeholder` replaces all bundles.
 */
export async function serveCli(placeholder: string, builds: Build[]): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = await answer((await json(request)) as Call).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: String(error) }),
    )
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  })
  // The program may compute for longer than the idle timeout, and would then send on a connection that is being closed.
  server.keepAliveTimeout = 0
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server

  async function answer({ method, params: [input] }: Call): Promise<unknown> {
    if (method === 'Provider.Aws.Bootstrap')
      return { asset: 'assets', assetEcrRegistryId: '', assetEcrUrl: '', state: 'state' }
    if (method !== 'Runtime.Build') throw new Error(`rpc: can't find ${method}`)
    builds.push(input)
    if (input.runtime === 'worker')
      return { handler: 'index.js', out: await workerFolder(input), errors: [] }
    return { handler: input.handler, out: await folderOf(input), errors: [], sourcemaps: [] }
  }

  async function workerFolder({ handler }: Build): Promise<string> {
    if (await missing(join(root, 'dist/workers'))) return placeholder
    if (await missing(join(root, handler))) throw new Error(`${handler} was not built`)
    return dirname(join(root, handler))
  }

  async function folderOf({ bundle, functionID }: Build): Promise<string> {
    if (bundle === undefined) throw new Error(`${functionID} has no bundle`)
    const folder = join(root, bundle)
    if (await missing(join(root, 'dist/functions'))) return placeholder
    if (await missing(join(folder, 'index.cjs'))) throw new Error(`${bundle} was not built`)
    return folder
  }
}

export function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const missing = (path: string) =>
  access(path).then(
    () => false,
    () => true,
  )
