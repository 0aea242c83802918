import { join } from 'node:path'
import { functions } from '#shared/manifest/index.ts'
import { type Worker, startWorker } from './workerd.ts'

/** True in `npm run test:edge`, whose suites call workers instead of Node. */
export const onWorkerd = process.env.CARRIER === 'workerd'

/** The interface that a suite calls: Hono's `request`, in this process or over a socket. */
export interface CarriedApp {
  request(path: string, init?: RequestInit, bindings?: Connection): Response | Promise<Response>
}

type Bindings = Readonly<Record<string, string | undefined>>

/** The client address of a request, in the form of an API Gateway event. */
interface Connection {
  requestContext?: { http: { sourceIp: string } }
}

/** The build output of `npm run test:edge`. */
const workersDir = join(import.meta.dirname, '../../../dist/workers')

/**
 * Starts a function's worker with these settings.
 * @param networks the networks that it may reach, by workerd's names; default: all
 * @throws Error if the manifest does not allow the function to run as a worker
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

/** Closers of the workers of carried functions; each closes its worker if it has started. */
const closes: (() => Promise<void> | undefined)[] = []

export const workerCount = (): number => closes.length

/** Closes the workers of all carried functions after the first `beyond`. */
export async function closeWorkers(beyond = 0): Promise<void> {
  await Promise.all(closes.splice(beyond).map((close) => close()))
}

/**
 * Returns a function of the manifest on the carrier of this run: the app that `onNode` creates, or its worker with
 * these settings, which starts with the first request.
 */
export function onCarrier(
  name: string,
  settings: () => Bindings | Promise<Bindings>,
  onNode: () => CarriedApp,
): CarriedApp {
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
      // Cloudflare sets this header on every request to a worker.
      if (ip !== undefined) headers.set('cf-connecting-ip', ip)
      return fetch(url + path, { ...init, headers, redirect: 'manual' })
    },
  }
}
