import { join } from 'node:path'
import type { Route } from '../../shared/http/route.ts'
import { functions, type Surface } from '../../shared/manifest/index.ts'

export interface SurfaceRoute {
  surface: Surface
  route: Route<never>
  name: string
}

/** Every route that the manifest's functions have, found by itself. */
export async function allRoutes(): Promise<SurfaceRoute[]> {
  const groups = functions.flatMap(({ entry, trigger }) =>
    trigger.kind === 'http'
      ? [
          import(join('../..', entry)).then(({ routes }: { routes: readonly Route<never>[] }) =>
            routes.map((route) => ({
              surface: trigger.surface,
              route,
              name: `${trigger.surface} ${route.method} ${route.path}`,
            })),
          ),
        ]
      : [],
  )
  return (await Promise.all(groups)).flat()
}
