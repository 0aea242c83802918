import { join } from 'node:path'
import type { Route } from '#shared/http/route.ts'
import { type FunctionSpec, functions, type Surface } from '#shared/manifest/index.ts'

export interface SurfaceRoute {
  surface: Surface
  route: Route<never>
  /** The function that contains the route. */
  of: FunctionSpec
  name: string
}

/** Returns every route of the manifest's functions, found by importing their modules. */
export async function allRoutes(): Promise<SurfaceRoute[]> {
  const groups = functions.flatMap((of) => {
    const { entry, trigger } = of
    return trigger.kind === 'http'
      ? [
          import(join('../../..', entry)).then(({ routes }: { routes: readonly Route<never>[] }) =>
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
