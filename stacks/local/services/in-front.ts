import { join } from 'node:path'
import type { FunctionSpec, Surface } from '../../../shared/manifest/index.ts'
import { startService } from './start.ts'
import type { ServiceOptions } from './start.ts'
import type { RunningSurface } from '../surfaces/surface.ts'

/** Starts what stands in front of a surface, which answers at `beyond`. */
export type StartInFront = (ports: { port: number; beyond: number }) => Promise<RunningSurface>

/** The service in front of a surface on one machine: one alone can listen at its port, and this one's speed counts most. */
const chosen: Partial<Record<Surface, string>> = { backend: 'backend-ai' }

interface InFrontOptions extends Pick<ServiceOptions, 'cacheDir'> {
  functions: readonly FunctionSpec[]
  /** Holds `<name>/index.cjs` of every service. */
  services: string
  program: string
  environmentOf(spec: FunctionSpec): Record<string, string>
  database: ServiceOptions['database']
  onLine(name: string, line: string): void
}

/** What stands in front of the surfaces, where these functions have it. */
export function servicesInFront(options: InFrontOptions): Partial<Record<Surface, StartInFront>> {
  const { functions, services, environmentOf, onLine, ...rest } = options
  const found = functions.flatMap((spec) => {
    const { name, trigger } = spec
    if (trigger.kind !== 'http' || chosen[trigger.surface] !== name) return []
    const start: StartInFront = (ports) =>
      startService({
        ...rest,
        ...ports,
        name,
        surface: trigger.surface,
        bundle: join(services, name, 'index.cjs'),
        functions: functions.map((each) => ({ name: each.name, trigger: each.trigger })),
        environment: () => environmentOf(spec),
        onLine: (line) => onLine(name, line),
      })
    return [[trigger.surface, start] as const]
  })
  return Object.fromEntries(found)
}
