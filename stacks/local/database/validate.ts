import { checkTypes, checkValidations, ruleOf } from './dynalite.ts'
import type { Rule } from './dynalite.ts'
import { fromFailure, validationError } from './errors.ts'
import { setAside } from './plain.ts'
import type { Inputs, OperationName } from './requests.ts'
import { conditional, checked, timeToLive, transactGet, transactWrite } from './rules.ts'

const rules: Record<OperationName, Rule> = {
  CreateTable: ruleOf('createTable'),
  DescribeTable: ruleOf('describeTable'),
  DeleteTable: ruleOf('deleteTable'),
  ListTables: ruleOf('listTables'),
  UpdateTimeToLive: timeToLive,
  DescribeTimeToLive: ruleOf('describeTable'),
  GetItem: ruleOf('getItem'),
  PutItem: conditional(ruleOf('putItem')),
  UpdateItem: conditional(ruleOf('updateItem')),
  DeleteItem: conditional(ruleOf('deleteItem')),
  Query: checked(ruleOf('query')),
  Scan: checked(ruleOf('scan')),
  BatchGetItem: ruleOf('batchGetItem'),
  BatchWriteItem: ruleOf('batchWriteItem'),
  TransactWriteItems: transactWrite,
  TransactGetItems: transactGet,
}

/** Parameters that expressions replaced in 2014. This engine rejects them instead of supporting them partly. */
const LEGACY = [
  'AttributesToGet',
  'AttributeUpdates',
  'ConditionalOperator',
  'Expected',
  'KeyConditions',
  'LocalSecondaryIndexes',
  'QueryFilter',
  'ScanFilter',
]

/** Disables dynalite's item size limit, which counts characters. The plan of a change checks the size in UTF-8 bytes. */
const store = { options: { maxItemSize: Number.POSITIVE_INFINITY } }

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(rules, name)
}

/**
 * Validates a request by the operation's rules and parses its expressions. Modifies `input`: drops unknown members and
 * rewrites numbers in plain notation.
 * @throws ValidationException or SerializationException, with DynamoDB's messages
 */
export function validate<Name extends OperationName>(name: Name, input: object): Inputs[Name] {
  const legacy = LEGACY.find((parameter) => Object.hasOwn(input, parameter))
  if (legacy) throw validationError(`${legacy} is not supported by this engine`)
  const { types, custom } = rules[name]
  try {
    const putBack = setAside(input)
    const data = checkTypes(input, types)
    putBack(data)
    checkValidations(data, types, custom, store)
    return data as Inputs[Name]
  } catch (error) {
    if (error instanceof Error && 'body' in error) throw fromFailure(error as never)
    // The checks are recursive: a request that exhausts the stack exceeds the nesting limit.
    if (error instanceof RangeError) {
      throw validationError('Nesting Levels have exceeded supported limits')
    }
    throw error
  }
}
