import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

/** Names each failure when it happens, so that a run that ends early has named those it had. */
export default class NameFailures implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state === "failed") this.#name(`${test.module.relativeModuleId}: ${test.fullName}`, result.errors);
  }

  /** Of its hooks. */
  onTestSuiteResult(suite: TestSuite): void {
    const errors = suite.errors();
    if (errors.length > 0) this.#name(`${suite.module.relativeModuleId}: ${suite.fullName}`, errors);
  }

  onTestModuleEnd(module: TestModule): void {
    const errors = module.errors();
    if (errors.length > 0) this.#name(module.relativeModuleId, errors);
  }

  #name(what: string, errors: readonly { message: string }[]): void {
    console.log([`\nfailed: ${what}`, ...errors.map(({ message }) => `    ${message.slice(0, 1000)}`)].join("\n"));
  }
}
