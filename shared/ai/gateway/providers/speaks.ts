import type { ModelFamily } from '#shared/manifest/model-families.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Route } from './provider.ts'

/** Returns whether the provider of a route serves a family of APIs. */
export function speaks({ provider }: Route, family: ModelFamily): boolean {
  return provider.speaks.includes(family)
}

/** The refusal of a model whose provider does not serve the family. */
export function unsupported({ id }: Route, family: ModelFamily): PlatformError {
  return new PlatformError('bad-request', `The provider of ${id} does not serve ${family}`, {
    code: 'MODEL_UNSUPPORTED',
    details: { param: 'model' },
  })
}
