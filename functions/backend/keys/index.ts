import { validateKey } from './validate.ts'

export const routes = [validateKey]
