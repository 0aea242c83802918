import { nameOf } from '#shared/money/plans/model-sets.ts'
import type { ModelSummary } from '../../models/list.ts'

interface Page {
  limit?: number | undefined
  after_id?: string | undefined
  before_id?: string | undefined
}

/** Anthropic's default: https://platform.claude.com/docs/en/api/models-list, in a copy read on 2026-11-27. */
const defaultLimit = 20

/** Returns a page of the models in Anthropic's form. An unknown cursor is the start of the list. */
export function writeModels(
  models: readonly ModelSummary[],
  { limit = defaultLimit, after_id, before_id }: Page,
) {
  const ids = models.map(({ id }) => id)
  const end = before_id === undefined ? -1 : ids.indexOf(before_id)
  const start = end === -1 ? ids.indexOf(after_id ?? '') + 1 : Math.max(0, end - limit)
  const data = models.slice(start, end === -1 ? start + limit : end).map(writeModel)
  return {
    data,
    has_more: end === -1 ? start + limit < models.length : start > 0,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}

/** Returns a model in Anthropic's form. The date of an unknown release is the start of 1970. */
export function writeModel({ id, created }: ModelSummary) {
  const created_at = new Date(created * 1000).toISOString()
  return { type: 'model' as const, id, display_name: nameOf(id), created_at }
}
