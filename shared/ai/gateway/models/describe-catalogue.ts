import * as z from 'zod'
import type { Providers } from '../providers/provider.ts'
import { type Catalogue, catalogueOf, type ListedModel } from './catalogue.ts'

/** A model with the data of its provider. Null for data that the provider does not send. */
export interface DescribedModel extends ListedModel {
  name: string | null
  description: string | null
  /** Tokens. */
  contextWindow: number | null
  vision: boolean
  tools: boolean
}

const text = z.string().trim().min(1).nullish().catch(null)
const texts = z.array(z.string()).nullish().catch(null)
const tokens = z.number().int().min(1).nullish().catch(null)

// OpenRouter's format, and the names of the context window at other providers.
const entry = z.object({
  name: text,
  description: text,
  context_length: tokens,
  context_window: tokens,
  max_model_len: tokens,
  architecture: z.object({ input_modalities: texts }).nullish().catch(null),
  supported_parameters: texts,
})

/** Creates the catalogue with all data of the providers' lists. */
export function describeCatalogue(
  providers: Providers,
  now?: () => number,
): Catalogue<DescribedModel> {
  return catalogueOf(providers, describe, now)
}

function describe(listed: ListedModel, raw: unknown): DescribedModel {
  const parsed = entry.parse(raw)
  return {
    ...listed,
    name: parsed.name ?? null,
    description: parsed.description ?? null,
    contextWindow: parsed.context_length ?? parsed.context_window ?? parsed.max_model_len ?? null,
    vision: parsed.architecture?.input_modalities?.includes('image') ?? false,
    tools: parsed.supported_parameters?.includes('tools') ?? false,
  }
}
