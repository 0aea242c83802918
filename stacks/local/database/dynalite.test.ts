import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'

const require = createRequire(import.meta.url)

/** The members of undocumented dynalite modules that stacks/local/database/dynalite.ts uses. */
const members = {
  'dynalite/db': [
    'toLexiStr',
    'validateKey',
    'validateItem',
    'validateUpdates',
    'validateKeyPaths',
    'mapPaths',
  ],
  'dynalite/validations': ['checkTypes', 'checkValidations', 'validateAttributeValue'],
}

const operations = [
  'createTable',
  'describeTable',
  'deleteTable',
  'listTables',
  'getItem',
  'putItem',
  'updateItem',
  'deleteItem',
  'query',
  'scan',
  'batchGetItem',
  'batchWriteItem',
]

describe('dynalite', () => {
  it('is the one release whose inner modules the engine uses', () => {
    const { devDependencies } = require('../../../package.json') as {
      devDependencies: Record<string, string>
    }
    const installed = require('dynalite/package.json') as { version: string }
    expect(devDependencies['dynalite']).toBe('4.0.0')
    expect(installed.version).toBe('4.0.0')
  })

  it.each(Object.entries(members))(
    'has in %s the functions that the engine calls',
    (path, names) => {
      const found = require(path) as Record<string, unknown>
      expect(names.filter((name) => typeof found[name] !== 'function')).toEqual([])
    },
  )

  it.each(operations)('has the types of %s', (operation) => {
    expect(require(`dynalite/validations/${operation}`)).toMatchObject({
      types: expect.any(Object),
    })
  })
})
