import { testInfraTools } from '../support/operations/infra-tools.ts'
import { stack } from '../support/stack/platform.ts'

testInfraTools(stack)
