import type { FunctionSpec, Surface } from '#shared/manifest/index.ts'
import type { FunctionHost } from '../functions/host.ts'
import { startRouter } from '../router/router.ts'
import type { PlacedServices } from '../services/places.ts'
import { portVariables, type StackSettings } from '../settings/settings.ts'
import { cannotListen } from './ports.ts'
import { type Pages, type RunningSurface, startSurface } from './surface.ts'

export interface SurfacesOptions {
  ports: StackSettings['ports']
  functions: readonly FunctionSpec[]
  host: FunctionHost
  /** The services in front of the surfaces and behind them. */
  services?: PlacedServices
  /** ROUTER_SECRET. */
  routerSecret: string
  /** Returns pages that the web surface serves without a function. @param webUrl its public address, unless one is set */
  pagesOf?(webUrl: string): Pages[]
  onFailure(name: string, error: unknown): void
}

export interface Surfaces {
  urls: Record<Surface, string>
  /** The addresses that functions hand out, unless the environment sets them. */
  publicAddresses: Record<'WEB_URL' | 'BACKEND_URL' | 'SUMMARIZER_URL' | 'AGENTS_DOMAIN', string>
  /** Lets requests finish for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>
}

/** Starts the three surfaces and the agents' router. @throws SettingsError that names the variable of a port in use */
export async function startSurfaces(options: SurfacesOptions): Promise<Surfaces> {
  const { ports, functions, host, onFailure } = options
  const started: Closable[] = options.services === undefined ? [] : [options.services.behind]
  const close = async (graceMs: number) => {
    await Promise.all(started.map((server) => server.close(graceMs)))
  }
  const keep = async <T extends Closable>(starting: Promise<T>): Promise<T> => {
    const server = await starting
    started.push(server)
    return server
  }
  const start = async (surface: Surface): Promise<RunningSurface> => {
    const pagesOf = surface === 'web' ? options.pagesOf : undefined
    const refused = cannotListen(portVariables[surface])
    const inFront = options.services?.inFront[surface]
    const port = inFront === undefined ? ports[surface] : 0
    const serviceOf = options.services?.behind.of
    const starting = startSurface({ surface, functions, host, port, serviceOf, pagesOf, onFailure })
    const answering = await keep(starting.catch(refused))
    if (inFront === undefined) return answering
    return keep(inFront({ port: ports[surface], beyond: answering.port }).catch(refused))
  }
  try {
    const web = await start('web')
    const backend = await start('backend')
    const summarizer = await start('summarizer')
    const router = await keep(
      startRouter({
        port: ports.agents,
        backendUrl: backend.url,
        secret: options.routerSecret,
      }).catch(cannotListen(portVariables.agents)),
    )
    return {
      urls: { web: web.url, backend: backend.url, summarizer: summarizer.url },
      publicAddresses: {
        WEB_URL: `http://localhost:${web.port}`,
        BACKEND_URL: `http://localhost:${backend.port}`,
        SUMMARIZER_URL: `http://localhost:${summarizer.port}`,
        AGENTS_DOMAIN: `agents.localhost:${router.port}`,
      },
      close,
    }
  } catch (error) {
    await close(0)
    throw error
  }
}

interface Closable {
  close(graceMs: number): Promise<void>
}
