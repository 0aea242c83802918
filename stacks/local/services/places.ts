import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import type { FunctionSpec, Surface } from '#shared/manifest/index.ts'
import type { RunningSurface } from '../surfaces/surface.ts'
import { proxyTo } from './proxy.ts'
import { type ServiceOptions, startService } from './start.ts'

/** Starts the service in front of a surface. The surface itself listens on `beyond`. */
type StartInFront = (ports: { port: number; beyond: number }) => Promise<RunningSurface>

/** The services behind a surface, which forwards requests to them. */
interface ServicesBehind {
  /**
   * Starts a function's service, and returns the listener that forwards requests to it. Returns undefined if the
   * function is not a service.
   */
  of: (name: string) => Promise<RequestListener> | undefined
  /** Lets requests finish for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>
}

export interface PlacedServices {
  inFront: Partial<Record<Surface, StartInFront>>
  behind: ServicesBehind
}

/**
 * The service in front of each surface. Only one service can listen on the surface's port: the one whose speed matters
 * most.
 */
const chosen: Partial<Record<Surface, string>> = { backend: 'backend-ai' }

interface PlacesOptions extends Pick<ServiceOptions, 'cacheDir' | 'database'> {
  functions: readonly FunctionSpec[]
  /** The folder that holds `<name>/index.cjs` of every service. */
  services: string
  program: string
  prepare?: ((name: string) => Promise<void> | undefined) | undefined
  environmentOf(spec: FunctionSpec): Record<string, string>
  onLine(name: string, line: string): void
  /** ORIGIN_SECRET. */
  originSecret: string
}

/**
 * Decides where each function that can run as a service runs: in front of its surface, or behind it, in a thread that
 * starts with its first request.
 */
export function placeServices(options: PlacesOptions): PlacedServices {
  const { functions, services, environmentOf, database, onLine, program, cacheDir, originSecret } =
    options
  const optionsOf = (spec: FunctionSpec) => ({
    name: spec.name,
    program,
    cacheDir,
    prepare: () => options.prepare?.(spec.name),
    bundle: join(services, spec.name, 'index.cjs'),
    database: spec.grants.some((grant) => 'table' in grant) ? database : undefined,
    environment: () => environmentOf(spec),
    onLine: (line: string) => onLine(spec.name, line),
  })
  const inFront: PlacedServices['inFront'] = {}
  const startBehind = new Map<string, () => Promise<RunningSurface>>()
  for (const spec of functions) {
    const { name, service, trigger } = spec
    if (service === undefined || trigger.kind !== 'http') continue
    const { surface } = trigger
    if (chosen[surface] === name)
      inFront[surface] = ({ port, beyond }) =>
        startService({
          ...optionsOf(spec),
          port,
          inFrontOf: { functions, surface, beyond, originSecret },
        })
    else startBehind.set(name, () => startService({ ...optionsOf(spec), port: 0 }))
  }
  return { inFront, behind: servicesBehind(startBehind, originSecret) }
}

function servicesBehind(
  startOf: Map<string, () => Promise<RunningSurface>>,
  originSecret: string,
): ServicesBehind {
  const running = new Map<
    string,
    { service: Promise<RunningSurface>; passOn: Promise<RequestListener> }
  >()
  let closed = false
  return {
    of(name) {
      const start = startOf.get(name)
      if (start === undefined) return undefined
      const found = running.get(name)
      if (found !== undefined) return found.passOn
      if (closed) return Promise.reject(new Error('the services are closed'))
      const service = start()
      const passOn = service.then(({ port }) => proxyTo(port, originSecret))
      running.set(name, { service, passOn })
      passOn.catch(() => running.delete(name))
      return passOn
    },
    async close(graceMs) {
      closed = true
      const started = await Promise.allSettled([...running.values()].map(({ service }) => service))
      await Promise.all(
        started.map((one) => one.status === 'fulfilled' && one.value.close(graceMs)),
      )
    },
  }
}
