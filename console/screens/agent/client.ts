import { Agents } from '../../../clients/typescript/resources/agents.ts'
import { client } from '../../base/platform.ts'

/** The agents with their parts, such as files and policies. */
export const agents = new Agents(client)
