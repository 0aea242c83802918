import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type AnyRoute, openApiDocument } from '#shared/http/openapi/document.ts'
import type { FunctionSpec, Surface } from '#shared/manifest/index.ts'

/** Returns the modules that export the `routes` of a surface's functions, relative to the root. */
export function modulesOf(functions: readonly FunctionSpec[], surface: Surface): string[] {
  return functions.flatMap(({ entry, trigger }) =>
    trigger.kind === 'http' && trigger.surface === surface ? [entry] : [],
  )
}

/**
 * Returns the API document of a surface.
 * @param root the repository
 * @param modules the modules with the routes, relative to `root`
 */
export async function surfaceDocument(
  root: string,
  surface: Surface,
  modules: readonly string[],
): Promise<ReturnType<typeof openApiDocument>> {
  const loaded = await Promise.all(
    modules.map(
      async (path) =>
        (await import(pathToFileURL(join(root, path)).href)) as { routes: readonly AnyRoute[] },
    ),
  )
  // A relative server URL, because the document is served by the surface that it describes.
  return openApiDocument(
    surface,
    '/',
    loaded.flatMap(({ routes }) => routes),
  )
}
