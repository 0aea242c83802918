import { misuse } from './condition.ts'
import { ruleOf } from './dynalite.ts'
import type { CustomCheck, Rule, ValidationStore } from './dynalite.ts'
import type { ParsedCondition } from './requests.ts'

/** Request rules for features that dynalite lacks, in dynalite's own format. */

const getItem = ruleOf('getItem')
const putItem = ruleOf('putItem')
const updateItem = ruleOf('updateItem')
const deleteItem = ruleOf('deleteItem')

const onFailure = { type: 'String', enum: ['ALL_OLD', 'NONE'] }
const consumed = { type: 'String', enum: ['INDEXES', 'TOTAL', 'NONE'] }
const tableName = getItem.types.TableName!
const required = { type: 'String', notNull: true }

interface Parsed {
  _condition?: ParsedCondition
  _filter?: ParsedCondition
}

/** Returns the rule of a request with a condition or filter, with the checks that dynalite lacks. */
export function checked(rule: Rule): Rule {
  const check = (data: Parsed, store: ValidationStore): string | undefined => {
    const message = rule.custom?.(data as never, store)
    if (message) return message
    const condition = data._condition && misuse(data._condition.expression)
    if (condition) return `Invalid ConditionExpression: ${condition}`
    const filter = data._filter && misuse(data._filter.expression)
    return filter && `Invalid FilterExpression: ${filter}`
  }
  return { ...rule, custom: check }
}

/** Returns the rule of a single write that supports ReturnValuesOnConditionCheckFailure. */
export function conditional(rule: Rule): Rule {
  const types = { ...rule.types, ReturnValuesOnConditionCheckFailure: onFailure }
  return checked({ ...rule, types })
}

function pick(rule: Rule, names: string[]): Rule['types'] {
  return Object.fromEntries(names.map((name) => [name, rule.types[name]!]))
}

const EXPRESSION = ['TableName', 'ExpressionAttributeNames', 'ExpressionAttributeValues']
const CONDITION = [...EXPRESSION, 'ConditionExpression']

const actions: Record<string, Rule> = {
  Put: { ...putItem, types: pick(putItem, [...CONDITION, 'Item']) },
  Delete: { ...deleteItem, types: pick(deleteItem, [...CONDITION, 'Key']) },
  Update: {
    ...updateItem,
    types: { ...pick(updateItem, [...CONDITION, 'Key']), UpdateExpression: required },
  },
  ConditionCheck: {
    ...deleteItem,
    types: { ...pick(deleteItem, [...EXPRESSION, 'Key']), ConditionExpression: required },
  },
}

function actionList(rules: Record<string, Rule>, structure: string): object {
  const members = Object.entries(rules).map(([name, { types }]) => [
    name,
    { type: `FieldStruct<${name}>`, children: types },
  ])
  return {
    type: 'List',
    notNull: true,
    lengthGreaterThanOrEqual: 1,
    lengthLessThanOrEqual: 100,
    children: { type: `ValueStruct<${structure}>`, children: Object.fromEntries(members) },
  }
}

function checkActions(rules: Record<string, Rule>): CustomCheck {
  return (data: { TransactItems: Record<string, never>[] }, store: ValidationStore) => {
    for (const action of data.TransactItems) {
      const [name, ...others] = Object.keys(action)
      if (!name || others.length > 0) {
        return 'TransactItems can only contain one of Check, Put, Update or Delete'
      }
      const message = rules[name]?.custom?.(action[name]!, store)
      if (message) return message
    }
    return undefined
  }
}

const writes = Object.fromEntries(
  Object.entries(actions).map(([name, rule]) => [name, conditional(rule)]),
)

export const transactWrite: Rule = {
  types: {
    ReturnConsumedCapacity: consumed,
    ReturnItemCollectionMetrics: { type: 'String', enum: ['SIZE', 'NONE'] },
    ClientRequestToken: {
      type: 'String',
      lengthGreaterThanOrEqual: 1,
      lengthLessThanOrEqual: 36,
    },
    TransactItems: actionList(writes, 'TransactWriteItem'),
  },
  custom: checkActions(writes),
}

const reads: Record<string, Rule> = {
  Get: {
    ...getItem,
    types: pick(getItem, ['TableName', 'Key', 'ProjectionExpression', 'ExpressionAttributeNames']),
  },
}

export const transactGet: Rule = {
  types: {
    ReturnConsumedCapacity: consumed,
    TransactItems: actionList(reads, 'TransactGetItem'),
  },
  custom: checkActions(reads),
}

export const timeToLive: Rule = {
  types: {
    TableName: tableName,
    TimeToLiveSpecification: {
      type: 'FieldStruct<TimeToLiveSpecification>',
      notNull: true,
      children: {
        AttributeName: {
          type: 'String',
          notNull: true,
          lengthGreaterThanOrEqual: 1,
          lengthLessThanOrEqual: 255,
        },
        Enabled: { type: 'Boolean', notNull: true },
      },
    },
  },
}
