import type { ModelFamily } from '#shared/manifest/model-families.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Route } from '../providers/provider.ts'
import { speaks, unsupported } from '../providers/speaks.ts'

/**
 * Returns why a route cannot answer a request that can be translated to a chat completion. Undefined if it can.
 * @param translate throws PlatformError for a request without a translation
 */
export function refusalOf(
  route: Route,
  family: ModelFamily,
  translate: () => unknown,
): PlatformError | undefined {
  if (speaks(route, family)) return undefined
  return speaks(route, 'chat') ? untranslatable(translate) : unsupported(route, family)
}

/** Returns why a request has no translation. Undefined if it has one. */
export function untranslatable(translate: () => unknown): PlatformError | undefined {
  try {
    translate()
    return undefined
  } catch (error) {
    if (error instanceof PlatformError) return error
    throw error
  }
}
