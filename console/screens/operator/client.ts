import { Operator } from '../../../clients/typescript/resources/operator.ts'
import { client } from '../../base/platform.ts'

export const operator = new Operator(client)
