import { join } from 'node:path'
import { functions } from '../../shared/manifest/index.ts'
import { type Worker, startWorker } from './workerd.ts'

/** Whether this run is `npm run test:edge`, whose suites ask workers instead of Node. */
export const onWorkerd = process.env.CARRIER === 'workerd'

/** What a suite asks: Hono's `request`, in this process or over a socket. */
export interface Carried {
  request(path: string, init?: RequestInit, bindings?: Connection): Response | Promise<Response>
}

type Bindings = Readonly<Record<string, string | undefined>>

/** Whose connection a request comes by, in API Gateway's words. */
interface Connection {
  requestContext?: { http: { sourceIp: string } }
}

/** Where `npm run test:edge` has its bundles made. */
const workersDir = join(import.meta.dirname, '../../dist/workers')

/**
 * Starts the worker of a function, with these settings.
 * @param networks what it may reach, as workerd names networks; everything unless given
 * @throws Error for one that the manifest does not let run as a worker
 */
export function startOf(
  name: string,
  settings: Bindings = {},
  networks?: readonly string[],
): Promise<Worker> {
  if (functions.find((spec) => spec.name === name)?.edge !== true)
    throw new Error(`the manifest does not let ${name} run as a worker`)
  const bindings = {
    FUNCTION_NAME: name,
    AWS_REGION: process.env.AWS_REGION,
    AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY,
    ...settings,
  }
  return startWorker(join(workersDir, name, 'index.js'), bindings, networks)
}

/** Each ends the worker of a function that was carried, if it has started. */
const closes: (() => Promise<void> | undefined)[] = []

export const carriedSoFar = (): number => closes.length

/** Ends the workers of what was carried beyond so many. */
export async function closeWorkers(beyond = 0): Promise<void> {
  await Promise.all(closes.splice(beyond).map((close) => close()))
}

/**
 * A function of the manifest on the carrier of this run: the app that `onNode` makes, or its worker with these settings,
 * which is started with the first request.
 */
export function carried(
  name: string,
  settings: () => Bindings | Promise<Bindings>,
  onNode: () => Carried,
): Carried {
  if (!onWorkerd) return onNode()
  let started: Promise<Worker> | undefined
  closes.push(() => started?.then((worker) => worker.close()))
  const start = () => {
    started = Promise.resolve(settings()).then((bindings) => startOf(name, bindings))
    return started
  }
  return {
    async request(path, init, { requestContext } = {}) {
      const { url } = await (started ?? start())
      const headers = new Headers(init?.headers)
      const ip = requestContext?.http.sourceIp
      // Cloudflare sets it on every request that it hands to a worker.
      if (ip !== undefined) headers.set('cf-connecting-ip', ip)
      return fetch(url + path, { ...init, headers, redirect: 'manual' })
    },
  }
}
