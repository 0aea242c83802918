import type { FunctionSpec, Surface } from '../../manifest/index.ts'
import type { FunctionHost } from '../functions/host.ts'
import { PortInUseError } from '../server/listen.ts'
import { SettingsError, type StackSettings } from '../settings/settings.ts'
import { type RunningSurface, startSurface } from './surface.ts'

export interface SurfacesOptions {
  ports: StackSettings['ports']
  functions: readonly FunctionSpec[]
  host: FunctionHost
  onFailure(name: string, error: unknown): void
}

export interface Surfaces {
  urls: Record<Surface, string>
  /** Addresses that functions hand out, for where the environment names none. */
  publicAddresses: Record<'WEB_URL' | 'BACKEND_URL' | 'SUMMARIZER_URL' | 'AGENTS_DOMAIN', string>
  /** Lets requests under way finish for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>
}

/** Starts the three surfaces. @throws SettingsError that names the variable of a port which is in use */
export async function startSurfaces(options: SurfacesOptions): Promise<Surfaces> {
  const { ports, functions, host, onFailure } = options
  const started: RunningSurface[] = []
  const close = async (graceMs: number) => {
    await Promise.all(started.map((surface) => surface.close(graceMs)))
  }
  const start = async (surface: Surface): Promise<RunningSurface> => {
    const port = ports[surface]
    const running = await startSurface({ surface, functions, host, port, onFailure })
    started.push(running)
    return running
  }
  try {
    const web = await start('web').catch(inUse('WEB_PORT'))
    const backend = await start('backend').catch(inUse('BACKEND_PORT'))
    const summarizer = await start('summarizer').catch(inUse('SUMMARIZER_PORT'))
    return {
      urls: { web: web.url, backend: backend.url, summarizer: summarizer.url },
      publicAddresses: {
        WEB_URL: `http://localhost:${web.port}`,
        BACKEND_URL: `http://localhost:${backend.port}`,
        SUMMARIZER_URL: `http://localhost:${summarizer.port}`,
        AGENTS_DOMAIN: `agents.localhost:${ports.agents}`,
      },
      close,
    }
  } catch (error) {
    await close(0)
    throw error
  }
}

function inUse(variable: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof PortInUseError)) throw error
    throw new SettingsError(
      `${variable}: port ${error.port} is in use; end what uses it or set ${variable} to another`,
    )
  }
}
