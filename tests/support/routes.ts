import { join } from 'node:path'
import type { Route } from '../../shared/http/route.ts'
import { type FunctionSpec, functions, type Surface } from '../../shared/manifest/index.ts'

export interface SurfaceRoute {
  surface: Surface
  route: Route<never>
  /** The function that has it. */
  of: FunctionSpec
  name: string
}

/** Every route that the manifest's functions have, found by itself. */
export async function allRoutes(): Promise<SurfaceRoute[]> {
  const groups = functions.flatMap((of) => {
    const { entry, trigger } = of
    return trigger.kind === 'http'
      ? [
          import(join('../..', entry)).then(({ routes }: { routes: readonly Route<never>[] }) =>
            routes.map((route) => ({
              surface: trigger.surface,
              route,
              of,
              name: `${trigger.surface} ${route.method} ${route.path}`,
            })),
          ),
        ]
      : []
  })
  return (await Promise.all(groups)).flat()
}
