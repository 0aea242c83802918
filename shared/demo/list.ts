import { notConfigured, PlatformError } from '../platform/errors.ts'
import type { Providers } from '../ai/providers/provider.ts'
import { demoModels } from './models.ts'

/** spec.md, Demo model. */
export interface DemoModel {
  id: string
  name: string
  /** The provider that serves it. */
  provider: string
}

/** The models of the demo; the stand-in answers for all of them where there is only that. @throws PlatformError 503 */
export function listDemoModels(providers: Providers): DemoModel[] {
  const spare = demoProvider(providers)
  return demoModels.map(({ id, name }) => ({
    id,
    name,
    provider: (providers.route(id)?.provider ?? spare).name,
  }))
}

/** Who serves the demo. @throws PlatformError 503 in the words of spec.md */
export function demoProvider({ router, standIn }: Providers) {
  const provider = router ?? standIn
  if (provider === undefined) {
    const { details } = notConfigured('Demo', ['AI_BASE_URL', 'AI_API_KEY'])
    throw new PlatformError('unavailable', 'Demo unavailable — service not configured.', {
      details,
    })
  }
  return provider
}
