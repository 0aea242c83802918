import { createKey } from './create.ts'
import { deleteKey } from './delete.ts'
import { getKey } from './get.ts'
import { listKeys } from './list.ts'
import { validateKey } from './validate.ts'

export const routes = [listKeys, createKey, validateKey, getKey, deleteKey]
