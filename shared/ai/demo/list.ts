import { nameOf } from '#shared/money/plans/model-sets.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { Catalogue } from '../gateway/models/catalogue.ts'
import { filterListed } from '../gateway/models/filter-listed.ts'
import type { Providers } from '../gateway/providers/provider.ts'

interface Sources {
  providers: Providers
  catalogue: Catalogue
}

/** A model of the demo: spec.md, Demo model. */
export interface DemoModel {
  id: string
  name: string
  /** The provider that serves the model. */
  provider: string
}

/**
 * Returns the demo models that are still listed, the default first. If the stand-in is the only provider, it serves all
 * of them.
 * @throws PlatformError 503
 */
export async function listDemoModels(sources: Sources): Promise<DemoModel[]> {
  const { providers } = sources
  const spare = demoProvider(providers)
  const ids = await filterListed(sources, providers.sets.demo)
  return ids.map((id) => ({
    id,
    name: nameOf(id),
    provider: (providers.route(id)?.provider ?? spare).name,
  }))
}

/**
 * Returns the provider that serves the demo.
 * @throws PlatformError 503 with the text of spec.md
 */
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
