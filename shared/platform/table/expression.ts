import type { Condition, Query, Update } from './port.ts'

/** The parts of a DynamoDB request with expressions, and only the names and values that they use. */
export interface Expressed {
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
}

/** The names in an expression: `#status` refers to the attribute `status`. */
function namesIn(...expressions: (string | undefined)[]): Record<string, string> {
  const names: Record<string, string> = {}
  for (const expression of expressions)
    for (const [name] of (expression ?? '').matchAll(/#\w+/g)) names[name] = name.slice(1)
  return names
}

/**
 * Returns an attribute's placeholder in an expression, which allows only word characters: `oauth_2d_register` for
 * `oauth-register`.
 */
function placeholder(name: string): string {
  if (!/\W/.test(name)) return name
  return name.replaceAll(/\W/g, (character) => `_${character.charCodeAt(0).toString(16)}_`)
}

function valuesOf(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value]))
}

function nonEmpty(names: Record<string, string>, values: Record<string, unknown>): Expressed {
  return {
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  }
}

/** Returns a condition as parts of a request; empty without a condition. */
export function expressCondition(
  condition: Condition,
): Expressed & { ConditionExpression?: string } {
  if (condition.if === undefined) return {}
  return {
    ConditionExpression: condition.if,
    ...nonEmpty(namesIn(condition.if), valuesOf(condition.values ?? {})),
  }
}

/**
 * Returns an update and its condition as parts of a request.
 * @throws TypeError for an update without a change, which DynamoDB rejects
 */
export function expressUpdate(
  update: Update,
): Expressed & { UpdateExpression: string; ConditionExpression?: string } {
  const { set = {}, add = {}, remove = [] } = update
  const values = valuesOf(update.values ?? {})
  const names: Record<string, string> = {}
  const named = (name: string) => {
    const short = placeholder(name)
    names[`#${short}`] = name
    return short
  }
  const assignments = Object.entries(set).map(([name, value]) => {
    const short = named(name)
    values[`:set_${short}`] = value
    return `#${short} = :set_${short}`
  })
  if (update.expression !== undefined) assignments.push(update.expression)
  const additions = Object.entries(add).map(([name, value]) => {
    const short = named(name)
    values[`:add_${short}`] = value
    return `#${short} :add_${short}`
  })
  const removals = remove.map((name) => `#${named(name)}`)
  const clauses = [
    assignments.length > 0 ? `SET ${assignments.join(', ')}` : '',
    additions.length > 0 ? `ADD ${additions.join(', ')}` : '',
    removals.length > 0 ? `REMOVE ${removals.join(', ')}` : '',
  ]
  const expression = clauses.filter(Boolean).join(' ')
  if (expression === '')
    throw new TypeError(
      'the update changes no attribute: use updateFields if all fields are optional',
    )
  return {
    UpdateExpression: expression,
    ...(update.if !== undefined && { ConditionExpression: update.if }),
    ...nonEmpty({ ...namesIn(update.expression, update.if), ...names }, values),
  }
}

/** Returns a query as parts of a request. */
export function expressQuery(query: Query): Expressed & {
  KeyConditionExpression: string
  FilterExpression?: string
  ProjectionExpression?: string
} {
  const [pk, sk] =
    query.index === undefined ? ['pk', 'sk'] : [`${query.index}pk`, `${query.index}sk`]
  // The key is added last, so that no value of a caller can replace it.
  const values: Record<string, unknown> = { ...valuesOf(query.values ?? {}), ':pk': query.pk }
  let condition = `${pk} = :pk`
  if (query.beginsWith !== undefined) {
    condition += ` AND begins_with(${sk}, :begin)`
    values[':begin'] = query.beginsWith
  } else if (query.between !== undefined) {
    condition += ` AND ${sk} BETWEEN :low AND :high`
    values[':low'] = query.between[0]
    values[':high'] = query.between[1]
  }
  const selected = query.select?.map((path) => `#${path.replaceAll('.', '.#')}`).join(', ')
  return {
    KeyConditionExpression: condition,
    ...(query.filter !== undefined && { FilterExpression: query.filter }),
    ...(selected !== undefined && { ProjectionExpression: selected }),
    ...nonEmpty(namesIn(query.filter, selected), values),
  }
}
