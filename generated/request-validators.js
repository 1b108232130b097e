// Made by `npm run generate` from spec/. Do not edit.
// src/protocol/encodings.ts
var base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
var base64Values = new Int8Array(128).map((_, code) => base64Digits.indexOf(String.fromCharCode(code)));
var padding = 61;
var encoder = new TextEncoder();
function isBase64Form(text) {
  const native = nativeBuffer();
  if (native !== void 0 && native.from(text, "base64").toString("base64") === text) return true;
  return endOfBase64(text) !== void 0;
}
function endOfBase64(text) {
  let end = text.length;
  for (let signs = 0; signs < 2 && text.charCodeAt(end - 1) === padding; signs++) end--;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code > 127 || base64Values[code] < 0) return void 0;
  }
  return end;
}
function nativeBuffer() {
  return globalThis.Buffer;
}

// src/http/validation/text-pattern.ts
function textPattern(pattern, flags) {
  if (pattern !== base64Form) return new RegExp(pattern, flags);
  return { test: isBase64Form, toString: () => `/${pattern}/${flags}` };
}
var base64Form = "^[A-Za-z0-9+/]*={0,2}$";

// <stdin>
var acceptsRegistrationChallengeRequest = validate21;
var func0 = textPattern;
var pattern4 = func0("^[0-9a-fA-F]{64}$", "u");
function validate21(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate21.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.public_key === void 0 && (missing0 = "public_key")) {
        validate21.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "public_key")) {
            validate21.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.public_key !== void 0) {
            let data0 = data.public_key;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate21.errors = [{ instancePath: instancePath + "/public_key", schemaPath: "contract#/definitions/PublicKey/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate21.errors = [{ instancePath: instancePath + "/public_key", schemaPath: "contract#/definitions/PublicKey/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate21.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate21.errors = vErrors;
  return errors === 0;
}
validate21.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsAnnounceWithProofRequest = validate22;
var schema34 = { "type": "object", "additionalProperties": false, "required": ["device_id", "public_key", "signature", "timestamp"], "properties": { "device_id": { "type": "string", "pattern": "^[0-9a-fA-F]{64}$" }, "public_key": { "$ref": "contract#/definitions/PublicKey" }, "signature": { "$ref": "contract#/definitions/Signature" }, "timestamp": { "$ref": "contract#/definitions/Timestamp" }, "vdf_proof": { "$ref": "contract#/definitions/DelayProof" }, "challenge": { "$ref": "contract#/definitions/Challenge" }, "invite_code": { "$ref": "contract#/definitions/InviteCodeOrHandle" }, "audience": { "$ref": "contract#/definitions/Audience" }, "revoke_others": { "type": "boolean", "default": false }, "storage_preferences": { "$ref": "contract#/definitions/StoragePreferences" } } };
var func6 = Object.prototype.hasOwnProperty;
var pattern7 = func0("^[0-9a-fA-F]{128}$", "u");
var pattern12 = func0("^([A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+|[0-9A-Za-z]{4}([ -]?[0-9A-Za-z]{4}){4})$", "u");
function validate22(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate22.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      if (data.revoke_others === void 0) {
        data.revoke_others = false;
      }
      let missing0;
      if (data.device_id === void 0 && (missing0 = "device_id") || data.public_key === void 0 && (missing0 = "public_key") || data.signature === void 0 && (missing0 = "signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate22.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!func6.call(schema34.properties, key0)) {
            validate22.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.device_id !== void 0) {
            let data0 = data.device_id;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate22.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "#/properties/device_id/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate22.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "#/properties/device_id/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.public_key !== void 0) {
              let data1 = data.public_key;
              const _errs4 = errors;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (typeof data1 === "string") {
                  if (!pattern4.test(data1)) {
                    validate22.errors = [{ instancePath: instancePath + "/public_key", schemaPath: "contract#/definitions/PublicKey/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                    return false;
                  }
                } else {
                  validate22.errors = [{ instancePath: instancePath + "/public_key", schemaPath: "contract#/definitions/PublicKey/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs4 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.signature !== void 0) {
                let data2 = data.signature;
                const _errs7 = errors;
                const _errs8 = errors;
                if (errors === _errs8) {
                  if (typeof data2 === "string") {
                    if (!pattern7.test(data2)) {
                      validate22.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/Signature/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{128}$" } }];
                      return false;
                    }
                  } else {
                    validate22.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/Signature/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.timestamp !== void 0) {
                  let data3 = data.timestamp;
                  const _errs10 = errors;
                  const _errs11 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                    validate22.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs11) {
                    if (typeof data3 == "number") {
                      if (data3 > 253402300799 || isNaN(data3)) {
                        validate22.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate22.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs10 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.vdf_proof !== void 0) {
                    let data4 = data.vdf_proof;
                    const _errs13 = errors;
                    const _errs14 = errors;
                    if (errors === _errs14) {
                      if (data4 && typeof data4 == "object" && !Array.isArray(data4)) {
                        let missing1;
                        if (data4.input === void 0 && (missing1 = "input") || data4.iterations === void 0 && (missing1 = "iterations") || data4.output === void 0 && (missing1 = "output")) {
                          validate22.errors = [{ instancePath: instancePath + "/vdf_proof", schemaPath: "contract#/definitions/DelayProof/required", keyword: "required", params: { missingProperty: missing1 } }];
                          return false;
                        } else {
                          const _errs16 = errors;
                          for (const key1 in data4) {
                            if (!(key1 === "input" || key1 === "iterations" || key1 === "output" || key1 === "checkpoints")) {
                              validate22.errors = [{ instancePath: instancePath + "/vdf_proof", schemaPath: "contract#/definitions/DelayProof/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 } }];
                              return false;
                              break;
                            }
                          }
                          if (_errs16 === errors) {
                            if (data4.input !== void 0) {
                              let data5 = data4.input;
                              const _errs17 = errors;
                              if (errors === _errs17) {
                                if (typeof data5 === "string") {
                                  if (!pattern7.test(data5)) {
                                    validate22.errors = [{ instancePath: instancePath + "/vdf_proof/input", schemaPath: "contract#/definitions/DelayProof/properties/input/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{128}$" } }];
                                    return false;
                                  }
                                } else {
                                  validate22.errors = [{ instancePath: instancePath + "/vdf_proof/input", schemaPath: "contract#/definitions/DelayProof/properties/input/type", keyword: "type", params: { type: "string" } }];
                                  return false;
                                }
                              }
                              var valid5 = _errs17 === errors;
                            } else {
                              var valid5 = true;
                            }
                            if (valid5) {
                              if (data4.iterations !== void 0) {
                                let data6 = data4.iterations;
                                const _errs19 = errors;
                                if (!(typeof data6 == "number" && (!(data6 % 1) && !isNaN(data6)))) {
                                  validate22.errors = [{ instancePath: instancePath + "/vdf_proof/iterations", schemaPath: "contract#/definitions/DelayProof/properties/iterations/type", keyword: "type", params: { type: "integer" } }];
                                  return false;
                                }
                                if (errors === _errs19) {
                                  if (typeof data6 == "number") {
                                    if (data6 > 1e9 || isNaN(data6)) {
                                      validate22.errors = [{ instancePath: instancePath + "/vdf_proof/iterations", schemaPath: "contract#/definitions/DelayProof/properties/iterations/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e9 } }];
                                      return false;
                                    } else {
                                      if (data6 < 1 || isNaN(data6)) {
                                        validate22.errors = [{ instancePath: instancePath + "/vdf_proof/iterations", schemaPath: "contract#/definitions/DelayProof/properties/iterations/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                        return false;
                                      }
                                    }
                                  }
                                }
                                var valid5 = _errs19 === errors;
                              } else {
                                var valid5 = true;
                              }
                              if (valid5) {
                                if (data4.output !== void 0) {
                                  let data7 = data4.output;
                                  const _errs21 = errors;
                                  if (errors === _errs21) {
                                    if (typeof data7 === "string") {
                                      if (!pattern4.test(data7)) {
                                        validate22.errors = [{ instancePath: instancePath + "/vdf_proof/output", schemaPath: "contract#/definitions/DelayProof/properties/output/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                                        return false;
                                      }
                                    } else {
                                      validate22.errors = [{ instancePath: instancePath + "/vdf_proof/output", schemaPath: "contract#/definitions/DelayProof/properties/output/type", keyword: "type", params: { type: "string" } }];
                                      return false;
                                    }
                                  }
                                  var valid5 = _errs21 === errors;
                                } else {
                                  var valid5 = true;
                                }
                                if (valid5) {
                                  if (data4.checkpoints !== void 0) {
                                    let data8 = data4.checkpoints;
                                    const _errs23 = errors;
                                    if (errors === _errs23) {
                                      if (Array.isArray(data8)) {
                                        if (data8.length > 63) {
                                          validate22.errors = [{ instancePath: instancePath + "/vdf_proof/checkpoints", schemaPath: "contract#/definitions/DelayProof/properties/checkpoints/maxItems", keyword: "maxItems", params: { limit: 63 } }];
                                          return false;
                                        } else {
                                          if (data8.length < 63) {
                                            validate22.errors = [{ instancePath: instancePath + "/vdf_proof/checkpoints", schemaPath: "contract#/definitions/DelayProof/properties/checkpoints/minItems", keyword: "minItems", params: { limit: 63 } }];
                                            return false;
                                          } else {
                                            var valid6 = true;
                                            const len0 = data8.length;
                                            for (let i0 = 0; i0 < len0; i0++) {
                                              let data9 = data8[i0];
                                              const _errs25 = errors;
                                              if (errors === _errs25) {
                                                if (typeof data9 === "string") {
                                                  if (!pattern4.test(data9)) {
                                                    validate22.errors = [{ instancePath: instancePath + "/vdf_proof/checkpoints/" + i0, schemaPath: "contract#/definitions/DelayProof/properties/checkpoints/items/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                                                    return false;
                                                  }
                                                } else {
                                                  validate22.errors = [{ instancePath: instancePath + "/vdf_proof/checkpoints/" + i0, schemaPath: "contract#/definitions/DelayProof/properties/checkpoints/items/type", keyword: "type", params: { type: "string" } }];
                                                  return false;
                                                }
                                              }
                                              var valid6 = _errs25 === errors;
                                              if (!valid6) {
                                                break;
                                              }
                                            }
                                          }
                                        }
                                      } else {
                                        validate22.errors = [{ instancePath: instancePath + "/vdf_proof/checkpoints", schemaPath: "contract#/definitions/DelayProof/properties/checkpoints/type", keyword: "type", params: { type: "array" } }];
                                        return false;
                                      }
                                    }
                                    var valid5 = _errs23 === errors;
                                  } else {
                                    var valid5 = true;
                                  }
                                }
                              }
                            }
                          }
                        }
                      } else {
                        validate22.errors = [{ instancePath: instancePath + "/vdf_proof", schemaPath: "contract#/definitions/DelayProof/type", keyword: "type", params: { type: "object" } }];
                        return false;
                      }
                    }
                    var valid0 = _errs13 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.challenge !== void 0) {
                      let data10 = data.challenge;
                      const _errs27 = errors;
                      const _errs28 = errors;
                      if (errors === _errs28) {
                        if (typeof data10 === "string") {
                          if (!pattern4.test(data10)) {
                            validate22.errors = [{ instancePath: instancePath + "/challenge", schemaPath: "contract#/definitions/Challenge/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                            return false;
                          }
                        } else {
                          validate22.errors = [{ instancePath: instancePath + "/challenge", schemaPath: "contract#/definitions/Challenge/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                      var valid0 = _errs27 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.invite_code !== void 0) {
                        let data11 = data.invite_code;
                        const _errs30 = errors;
                        const _errs31 = errors;
                        if (errors === _errs31) {
                          if (typeof data11 === "string") {
                            if (data11.length > 4096) {
                              validate22.errors = [{ instancePath: instancePath + "/invite_code", schemaPath: "contract#/definitions/InviteCodeOrHandle/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                              return false;
                            } else {
                              if (data11.length < 1) {
                                validate22.errors = [{ instancePath: instancePath + "/invite_code", schemaPath: "contract#/definitions/InviteCodeOrHandle/minLength", keyword: "minLength", params: { limit: 1 } }];
                                return false;
                              } else {
                                if (!pattern12.test(data11)) {
                                  validate22.errors = [{ instancePath: instancePath + "/invite_code", schemaPath: "contract#/definitions/InviteCodeOrHandle/pattern", keyword: "pattern", params: { pattern: "^([A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+|[0-9A-Za-z]{4}([ -]?[0-9A-Za-z]{4}){4})$" } }];
                                  return false;
                                }
                              }
                            }
                          } else {
                            validate22.errors = [{ instancePath: instancePath + "/invite_code", schemaPath: "contract#/definitions/InviteCodeOrHandle/type", keyword: "type", params: { type: "string" } }];
                            return false;
                          }
                        }
                        var valid0 = _errs30 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.audience !== void 0) {
                          let data12 = data.audience;
                          const _errs33 = errors;
                          const _errs34 = errors;
                          if (errors === _errs34) {
                            if (typeof data12 === "string") {
                              if (data12.length > 259) {
                                validate22.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                                return false;
                              } else {
                                if (data12.length < 1) {
                                  validate22.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/minLength", keyword: "minLength", params: { limit: 1 } }];
                                  return false;
                                }
                              }
                            } else {
                              validate22.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/type", keyword: "type", params: { type: "string" } }];
                              return false;
                            }
                          }
                          var valid0 = _errs33 === errors;
                        } else {
                          var valid0 = true;
                        }
                        if (valid0) {
                          const _errs36 = errors;
                          if (typeof data.revoke_others !== "boolean") {
                            validate22.errors = [{ instancePath: instancePath + "/revoke_others", schemaPath: "#/properties/revoke_others/type", keyword: "type", params: { type: "boolean" } }];
                            return false;
                          }
                          var valid0 = _errs36 === errors;
                          if (valid0) {
                            if (data.storage_preferences !== void 0) {
                              let data14 = data.storage_preferences;
                              const _errs38 = errors;
                              const _errs39 = errors;
                              if (errors === _errs39) {
                                if (data14 && typeof data14 == "object" && !Array.isArray(data14)) {
                                  if (data14.hide_presence === void 0) {
                                    data14.hide_presence = false;
                                  }
                                  const _errs41 = errors;
                                  for (const key2 in data14) {
                                    if (!(key2 === "max_retention_days" || key2 === "offline_message_limit" || key2 === "hide_presence")) {
                                      validate22.errors = [{ instancePath: instancePath + "/storage_preferences", schemaPath: "contract#/definitions/StoragePreferences/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key2 } }];
                                      return false;
                                      break;
                                    }
                                  }
                                  if (_errs41 === errors) {
                                    if (data14.max_retention_days !== void 0) {
                                      let data15 = data14.max_retention_days;
                                      const _errs42 = errors;
                                      if (!(typeof data15 == "number" && (!(data15 % 1) && !isNaN(data15)))) {
                                        validate22.errors = [{ instancePath: instancePath + "/storage_preferences/max_retention_days", schemaPath: "contract#/definitions/StoragePreferences/properties/max_retention_days/type", keyword: "type", params: { type: "integer" } }];
                                        return false;
                                      }
                                      if (errors === _errs42) {
                                        if (typeof data15 == "number") {
                                          if (data15 > 3650 || isNaN(data15)) {
                                            validate22.errors = [{ instancePath: instancePath + "/storage_preferences/max_retention_days", schemaPath: "contract#/definitions/StoragePreferences/properties/max_retention_days/maximum", keyword: "maximum", params: { comparison: "<=", limit: 3650 } }];
                                            return false;
                                          } else {
                                            if (data15 < 1 || isNaN(data15)) {
                                              validate22.errors = [{ instancePath: instancePath + "/storage_preferences/max_retention_days", schemaPath: "contract#/definitions/StoragePreferences/properties/max_retention_days/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                              return false;
                                            }
                                          }
                                        }
                                      }
                                      var valid11 = _errs42 === errors;
                                    } else {
                                      var valid11 = true;
                                    }
                                    if (valid11) {
                                      if (data14.offline_message_limit !== void 0) {
                                        let data16 = data14.offline_message_limit;
                                        const _errs44 = errors;
                                        if (!(typeof data16 == "number" && (!(data16 % 1) && !isNaN(data16)))) {
                                          validate22.errors = [{ instancePath: instancePath + "/storage_preferences/offline_message_limit", schemaPath: "contract#/definitions/StoragePreferences/properties/offline_message_limit/type", keyword: "type", params: { type: "integer" } }];
                                          return false;
                                        }
                                        if (errors === _errs44) {
                                          if (typeof data16 == "number") {
                                            if (data16 > 1e6 || isNaN(data16)) {
                                              validate22.errors = [{ instancePath: instancePath + "/storage_preferences/offline_message_limit", schemaPath: "contract#/definitions/StoragePreferences/properties/offline_message_limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                                              return false;
                                            } else {
                                              if (data16 < 1 || isNaN(data16)) {
                                                validate22.errors = [{ instancePath: instancePath + "/storage_preferences/offline_message_limit", schemaPath: "contract#/definitions/StoragePreferences/properties/offline_message_limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                                return false;
                                              }
                                            }
                                          }
                                        }
                                        var valid11 = _errs44 === errors;
                                      } else {
                                        var valid11 = true;
                                      }
                                      if (valid11) {
                                        const _errs46 = errors;
                                        if (typeof data14.hide_presence !== "boolean") {
                                          validate22.errors = [{ instancePath: instancePath + "/storage_preferences/hide_presence", schemaPath: "contract#/definitions/StoragePreferences/properties/hide_presence/type", keyword: "type", params: { type: "boolean" } }];
                                          return false;
                                        }
                                        var valid11 = _errs46 === errors;
                                      }
                                    }
                                  }
                                } else {
                                  validate22.errors = [{ instancePath: instancePath + "/storage_preferences", schemaPath: "contract#/definitions/StoragePreferences/type", keyword: "type", params: { type: "object" } }];
                                  return false;
                                }
                              }
                              var valid0 = _errs38 === errors;
                            } else {
                              var valid0 = true;
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate22.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate22.errors = vErrors;
  return errors === 0;
}
validate22.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsAnnounceDeviceRequest = validate23;
var schema43 = { "type": "object", "additionalProperties": false, "required": ["device_id", "delivery_address_prefixes", "signature", "timestamp"], "properties": { "device_id": { "$ref": "contract#/definitions/DeviceId" }, "delivery_address_prefixes": { "type": "array", "minItems": 1, "maxItems": 100, "items": { "$ref": "contract#/definitions/AnnouncedPrefix" } }, "signature": { "$ref": "contract#/definitions/Signature" }, "timestamp": { "$ref": "contract#/definitions/Timestamp" }, "storage_preferences": { "$ref": "contract#/definitions/StoragePreferences" }, "public_key": { "$ref": "contract#/definitions/PublicKey" }, "vdf_proof": { "$ref": "contract#/definitions/DelayProof" }, "challenge": { "$ref": "contract#/definitions/Challenge" }, "invite_code": { "$ref": "contract#/definitions/InviteCodeOrHandle" }, "audience": { "$ref": "contract#/definitions/Audience" }, "revoke_others": { "type": "boolean", "default": false } } };
var pattern14 = func0("^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$", "u");
function validate23(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate23.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      if (data.revoke_others === void 0) {
        data.revoke_others = false;
      }
      let missing0;
      if (data.device_id === void 0 && (missing0 = "device_id") || data.delivery_address_prefixes === void 0 && (missing0 = "delivery_address_prefixes") || data.signature === void 0 && (missing0 = "signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate23.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!func6.call(schema43.properties, key0)) {
            validate23.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.device_id !== void 0) {
            let data0 = data.device_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate23.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate23.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.delivery_address_prefixes !== void 0) {
              let data1 = data.delivery_address_prefixes;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (Array.isArray(data1)) {
                  if (data1.length > 100) {
                    validate23.errors = [{ instancePath: instancePath + "/delivery_address_prefixes", schemaPath: "#/properties/delivery_address_prefixes/maxItems", keyword: "maxItems", params: { limit: 100 } }];
                    return false;
                  } else {
                    if (data1.length < 1) {
                      validate23.errors = [{ instancePath: instancePath + "/delivery_address_prefixes", schemaPath: "#/properties/delivery_address_prefixes/minItems", keyword: "minItems", params: { limit: 1 } }];
                      return false;
                    } else {
                      var valid2 = true;
                      const len0 = data1.length;
                      for (let i0 = 0; i0 < len0; i0++) {
                        let data2 = data1[i0];
                        const _errs7 = errors;
                        const _errs8 = errors;
                        if (errors === _errs8) {
                          if (typeof data2 === "string") {
                            if (!pattern14.test(data2)) {
                              validate23.errors = [{ instancePath: instancePath + "/delivery_address_prefixes/" + i0, schemaPath: "contract#/definitions/AnnouncedPrefix/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$" } }];
                              return false;
                            }
                          } else {
                            validate23.errors = [{ instancePath: instancePath + "/delivery_address_prefixes/" + i0, schemaPath: "contract#/definitions/AnnouncedPrefix/type", keyword: "type", params: { type: "string" } }];
                            return false;
                          }
                        }
                        var valid2 = _errs7 === errors;
                        if (!valid2) {
                          break;
                        }
                      }
                    }
                  }
                } else {
                  validate23.errors = [{ instancePath: instancePath + "/delivery_address_prefixes", schemaPath: "#/properties/delivery_address_prefixes/type", keyword: "type", params: { type: "array" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.signature !== void 0) {
                let data3 = data.signature;
                const _errs10 = errors;
                const _errs11 = errors;
                if (errors === _errs11) {
                  if (typeof data3 === "string") {
                    if (!pattern7.test(data3)) {
                      validate23.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/Signature/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{128}$" } }];
                      return false;
                    }
                  } else {
                    validate23.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/Signature/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs10 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.timestamp !== void 0) {
                  let data4 = data.timestamp;
                  const _errs13 = errors;
                  const _errs14 = errors;
                  if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                    validate23.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs14) {
                    if (typeof data4 == "number") {
                      if (data4 > 253402300799 || isNaN(data4)) {
                        validate23.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                        return false;
                      } else {
                        if (data4 < 0 || isNaN(data4)) {
                          validate23.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs13 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.storage_preferences !== void 0) {
                    let data5 = data.storage_preferences;
                    const _errs16 = errors;
                    const _errs17 = errors;
                    if (errors === _errs17) {
                      if (data5 && typeof data5 == "object" && !Array.isArray(data5)) {
                        if (data5.hide_presence === void 0) {
                          data5.hide_presence = false;
                        }
                        const _errs19 = errors;
                        for (const key1 in data5) {
                          if (!(key1 === "max_retention_days" || key1 === "offline_message_limit" || key1 === "hide_presence")) {
                            validate23.errors = [{ instancePath: instancePath + "/storage_preferences", schemaPath: "contract#/definitions/StoragePreferences/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 } }];
                            return false;
                            break;
                          }
                        }
                        if (_errs19 === errors) {
                          if (data5.max_retention_days !== void 0) {
                            let data6 = data5.max_retention_days;
                            const _errs20 = errors;
                            if (!(typeof data6 == "number" && (!(data6 % 1) && !isNaN(data6)))) {
                              validate23.errors = [{ instancePath: instancePath + "/storage_preferences/max_retention_days", schemaPath: "contract#/definitions/StoragePreferences/properties/max_retention_days/type", keyword: "type", params: { type: "integer" } }];
                              return false;
                            }
                            if (errors === _errs20) {
                              if (typeof data6 == "number") {
                                if (data6 > 3650 || isNaN(data6)) {
                                  validate23.errors = [{ instancePath: instancePath + "/storage_preferences/max_retention_days", schemaPath: "contract#/definitions/StoragePreferences/properties/max_retention_days/maximum", keyword: "maximum", params: { comparison: "<=", limit: 3650 } }];
                                  return false;
                                } else {
                                  if (data6 < 1 || isNaN(data6)) {
                                    validate23.errors = [{ instancePath: instancePath + "/storage_preferences/max_retention_days", schemaPath: "contract#/definitions/StoragePreferences/properties/max_retention_days/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                    return false;
                                  }
                                }
                              }
                            }
                            var valid7 = _errs20 === errors;
                          } else {
                            var valid7 = true;
                          }
                          if (valid7) {
                            if (data5.offline_message_limit !== void 0) {
                              let data7 = data5.offline_message_limit;
                              const _errs22 = errors;
                              if (!(typeof data7 == "number" && (!(data7 % 1) && !isNaN(data7)))) {
                                validate23.errors = [{ instancePath: instancePath + "/storage_preferences/offline_message_limit", schemaPath: "contract#/definitions/StoragePreferences/properties/offline_message_limit/type", keyword: "type", params: { type: "integer" } }];
                                return false;
                              }
                              if (errors === _errs22) {
                                if (typeof data7 == "number") {
                                  if (data7 > 1e6 || isNaN(data7)) {
                                    validate23.errors = [{ instancePath: instancePath + "/storage_preferences/offline_message_limit", schemaPath: "contract#/definitions/StoragePreferences/properties/offline_message_limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                                    return false;
                                  } else {
                                    if (data7 < 1 || isNaN(data7)) {
                                      validate23.errors = [{ instancePath: instancePath + "/storage_preferences/offline_message_limit", schemaPath: "contract#/definitions/StoragePreferences/properties/offline_message_limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                      return false;
                                    }
                                  }
                                }
                              }
                              var valid7 = _errs22 === errors;
                            } else {
                              var valid7 = true;
                            }
                            if (valid7) {
                              const _errs24 = errors;
                              if (typeof data5.hide_presence !== "boolean") {
                                validate23.errors = [{ instancePath: instancePath + "/storage_preferences/hide_presence", schemaPath: "contract#/definitions/StoragePreferences/properties/hide_presence/type", keyword: "type", params: { type: "boolean" } }];
                                return false;
                              }
                              var valid7 = _errs24 === errors;
                            }
                          }
                        }
                      } else {
                        validate23.errors = [{ instancePath: instancePath + "/storage_preferences", schemaPath: "contract#/definitions/StoragePreferences/type", keyword: "type", params: { type: "object" } }];
                        return false;
                      }
                    }
                    var valid0 = _errs16 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.public_key !== void 0) {
                      let data9 = data.public_key;
                      const _errs26 = errors;
                      const _errs27 = errors;
                      if (errors === _errs27) {
                        if (typeof data9 === "string") {
                          if (!pattern4.test(data9)) {
                            validate23.errors = [{ instancePath: instancePath + "/public_key", schemaPath: "contract#/definitions/PublicKey/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                            return false;
                          }
                        } else {
                          validate23.errors = [{ instancePath: instancePath + "/public_key", schemaPath: "contract#/definitions/PublicKey/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                      var valid0 = _errs26 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.vdf_proof !== void 0) {
                        let data10 = data.vdf_proof;
                        const _errs29 = errors;
                        const _errs30 = errors;
                        if (errors === _errs30) {
                          if (data10 && typeof data10 == "object" && !Array.isArray(data10)) {
                            let missing1;
                            if (data10.input === void 0 && (missing1 = "input") || data10.iterations === void 0 && (missing1 = "iterations") || data10.output === void 0 && (missing1 = "output")) {
                              validate23.errors = [{ instancePath: instancePath + "/vdf_proof", schemaPath: "contract#/definitions/DelayProof/required", keyword: "required", params: { missingProperty: missing1 } }];
                              return false;
                            } else {
                              const _errs32 = errors;
                              for (const key2 in data10) {
                                if (!(key2 === "input" || key2 === "iterations" || key2 === "output" || key2 === "checkpoints")) {
                                  validate23.errors = [{ instancePath: instancePath + "/vdf_proof", schemaPath: "contract#/definitions/DelayProof/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key2 } }];
                                  return false;
                                  break;
                                }
                              }
                              if (_errs32 === errors) {
                                if (data10.input !== void 0) {
                                  let data11 = data10.input;
                                  const _errs33 = errors;
                                  if (errors === _errs33) {
                                    if (typeof data11 === "string") {
                                      if (!pattern7.test(data11)) {
                                        validate23.errors = [{ instancePath: instancePath + "/vdf_proof/input", schemaPath: "contract#/definitions/DelayProof/properties/input/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{128}$" } }];
                                        return false;
                                      }
                                    } else {
                                      validate23.errors = [{ instancePath: instancePath + "/vdf_proof/input", schemaPath: "contract#/definitions/DelayProof/properties/input/type", keyword: "type", params: { type: "string" } }];
                                      return false;
                                    }
                                  }
                                  var valid10 = _errs33 === errors;
                                } else {
                                  var valid10 = true;
                                }
                                if (valid10) {
                                  if (data10.iterations !== void 0) {
                                    let data12 = data10.iterations;
                                    const _errs35 = errors;
                                    if (!(typeof data12 == "number" && (!(data12 % 1) && !isNaN(data12)))) {
                                      validate23.errors = [{ instancePath: instancePath + "/vdf_proof/iterations", schemaPath: "contract#/definitions/DelayProof/properties/iterations/type", keyword: "type", params: { type: "integer" } }];
                                      return false;
                                    }
                                    if (errors === _errs35) {
                                      if (typeof data12 == "number") {
                                        if (data12 > 1e9 || isNaN(data12)) {
                                          validate23.errors = [{ instancePath: instancePath + "/vdf_proof/iterations", schemaPath: "contract#/definitions/DelayProof/properties/iterations/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e9 } }];
                                          return false;
                                        } else {
                                          if (data12 < 1 || isNaN(data12)) {
                                            validate23.errors = [{ instancePath: instancePath + "/vdf_proof/iterations", schemaPath: "contract#/definitions/DelayProof/properties/iterations/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                            return false;
                                          }
                                        }
                                      }
                                    }
                                    var valid10 = _errs35 === errors;
                                  } else {
                                    var valid10 = true;
                                  }
                                  if (valid10) {
                                    if (data10.output !== void 0) {
                                      let data13 = data10.output;
                                      const _errs37 = errors;
                                      if (errors === _errs37) {
                                        if (typeof data13 === "string") {
                                          if (!pattern4.test(data13)) {
                                            validate23.errors = [{ instancePath: instancePath + "/vdf_proof/output", schemaPath: "contract#/definitions/DelayProof/properties/output/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                                            return false;
                                          }
                                        } else {
                                          validate23.errors = [{ instancePath: instancePath + "/vdf_proof/output", schemaPath: "contract#/definitions/DelayProof/properties/output/type", keyword: "type", params: { type: "string" } }];
                                          return false;
                                        }
                                      }
                                      var valid10 = _errs37 === errors;
                                    } else {
                                      var valid10 = true;
                                    }
                                    if (valid10) {
                                      if (data10.checkpoints !== void 0) {
                                        let data14 = data10.checkpoints;
                                        const _errs39 = errors;
                                        if (errors === _errs39) {
                                          if (Array.isArray(data14)) {
                                            if (data14.length > 63) {
                                              validate23.errors = [{ instancePath: instancePath + "/vdf_proof/checkpoints", schemaPath: "contract#/definitions/DelayProof/properties/checkpoints/maxItems", keyword: "maxItems", params: { limit: 63 } }];
                                              return false;
                                            } else {
                                              if (data14.length < 63) {
                                                validate23.errors = [{ instancePath: instancePath + "/vdf_proof/checkpoints", schemaPath: "contract#/definitions/DelayProof/properties/checkpoints/minItems", keyword: "minItems", params: { limit: 63 } }];
                                                return false;
                                              } else {
                                                var valid11 = true;
                                                const len1 = data14.length;
                                                for (let i1 = 0; i1 < len1; i1++) {
                                                  let data15 = data14[i1];
                                                  const _errs41 = errors;
                                                  if (errors === _errs41) {
                                                    if (typeof data15 === "string") {
                                                      if (!pattern4.test(data15)) {
                                                        validate23.errors = [{ instancePath: instancePath + "/vdf_proof/checkpoints/" + i1, schemaPath: "contract#/definitions/DelayProof/properties/checkpoints/items/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                                                        return false;
                                                      }
                                                    } else {
                                                      validate23.errors = [{ instancePath: instancePath + "/vdf_proof/checkpoints/" + i1, schemaPath: "contract#/definitions/DelayProof/properties/checkpoints/items/type", keyword: "type", params: { type: "string" } }];
                                                      return false;
                                                    }
                                                  }
                                                  var valid11 = _errs41 === errors;
                                                  if (!valid11) {
                                                    break;
                                                  }
                                                }
                                              }
                                            }
                                          } else {
                                            validate23.errors = [{ instancePath: instancePath + "/vdf_proof/checkpoints", schemaPath: "contract#/definitions/DelayProof/properties/checkpoints/type", keyword: "type", params: { type: "array" } }];
                                            return false;
                                          }
                                        }
                                        var valid10 = _errs39 === errors;
                                      } else {
                                        var valid10 = true;
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          } else {
                            validate23.errors = [{ instancePath: instancePath + "/vdf_proof", schemaPath: "contract#/definitions/DelayProof/type", keyword: "type", params: { type: "object" } }];
                            return false;
                          }
                        }
                        var valid0 = _errs29 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.challenge !== void 0) {
                          let data16 = data.challenge;
                          const _errs43 = errors;
                          const _errs44 = errors;
                          if (errors === _errs44) {
                            if (typeof data16 === "string") {
                              if (!pattern4.test(data16)) {
                                validate23.errors = [{ instancePath: instancePath + "/challenge", schemaPath: "contract#/definitions/Challenge/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                                return false;
                              }
                            } else {
                              validate23.errors = [{ instancePath: instancePath + "/challenge", schemaPath: "contract#/definitions/Challenge/type", keyword: "type", params: { type: "string" } }];
                              return false;
                            }
                          }
                          var valid0 = _errs43 === errors;
                        } else {
                          var valid0 = true;
                        }
                        if (valid0) {
                          if (data.invite_code !== void 0) {
                            let data17 = data.invite_code;
                            const _errs46 = errors;
                            const _errs47 = errors;
                            if (errors === _errs47) {
                              if (typeof data17 === "string") {
                                if (data17.length > 4096) {
                                  validate23.errors = [{ instancePath: instancePath + "/invite_code", schemaPath: "contract#/definitions/InviteCodeOrHandle/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                                  return false;
                                } else {
                                  if (data17.length < 1) {
                                    validate23.errors = [{ instancePath: instancePath + "/invite_code", schemaPath: "contract#/definitions/InviteCodeOrHandle/minLength", keyword: "minLength", params: { limit: 1 } }];
                                    return false;
                                  } else {
                                    if (!pattern12.test(data17)) {
                                      validate23.errors = [{ instancePath: instancePath + "/invite_code", schemaPath: "contract#/definitions/InviteCodeOrHandle/pattern", keyword: "pattern", params: { pattern: "^([A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+|[0-9A-Za-z]{4}([ -]?[0-9A-Za-z]{4}){4})$" } }];
                                      return false;
                                    }
                                  }
                                }
                              } else {
                                validate23.errors = [{ instancePath: instancePath + "/invite_code", schemaPath: "contract#/definitions/InviteCodeOrHandle/type", keyword: "type", params: { type: "string" } }];
                                return false;
                              }
                            }
                            var valid0 = _errs46 === errors;
                          } else {
                            var valid0 = true;
                          }
                          if (valid0) {
                            if (data.audience !== void 0) {
                              let data18 = data.audience;
                              const _errs49 = errors;
                              const _errs50 = errors;
                              if (errors === _errs50) {
                                if (typeof data18 === "string") {
                                  if (data18.length > 259) {
                                    validate23.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                                    return false;
                                  } else {
                                    if (data18.length < 1) {
                                      validate23.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/minLength", keyword: "minLength", params: { limit: 1 } }];
                                      return false;
                                    }
                                  }
                                } else {
                                  validate23.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/type", keyword: "type", params: { type: "string" } }];
                                  return false;
                                }
                              }
                              var valid0 = _errs49 === errors;
                            } else {
                              var valid0 = true;
                            }
                            if (valid0) {
                              const _errs52 = errors;
                              if (typeof data.revoke_others !== "boolean") {
                                validate23.errors = [{ instancePath: instancePath + "/revoke_others", schemaPath: "#/properties/revoke_others/type", keyword: "type", params: { type: "boolean" } }];
                                return false;
                              }
                              var valid0 = _errs52 === errors;
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate23.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate23.errors = vErrors;
  return errors === 0;
}
validate23.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsSendMessageRequest = validate24;
var pattern22 = func0("^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$", "u");
var pattern23 = func0("^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$", "u");
var pattern24 = func0("^[A-Za-z0-9+/]*={0,2}$", "u");
var pattern25 = func0("^[ -~]+$", "u");
var schema60 = { "type": "object", "additionalProperties": false, "required": ["event"], "properties": { "event": { "$ref": "contract#/definitions/SystemEventName" }, "extension_type": { "type": ["string", "null"], "minLength": 1, "maxLength": 64, "pattern": "^[ -~]+$" } } };
var schema61 = { "type": "string", "enum": ["group_extension_updated", "member_added", "member_removed", "epoch_change", "address_rotation"] };
function validate25(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate25.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.event === void 0 && (missing0 = "event")) {
        validate25.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "event" || key0 === "extension_type")) {
            validate25.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.event !== void 0) {
            let data0 = data.event;
            const _errs2 = errors;
            if (typeof data0 !== "string") {
              validate25.errors = [{ instancePath: instancePath + "/event", schemaPath: "contract#/definitions/SystemEventName/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
            if (!(data0 === "group_extension_updated" || data0 === "member_added" || data0 === "member_removed" || data0 === "epoch_change" || data0 === "address_rotation")) {
              validate25.errors = [{ instancePath: instancePath + "/event", schemaPath: "contract#/definitions/SystemEventName/enum", keyword: "enum", params: { allowedValues: schema61.enum } }];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.extension_type !== void 0) {
              let data1 = data.extension_type;
              const _errs5 = errors;
              if (typeof data1 !== "string" && data1 !== null) {
                validate25.errors = [{ instancePath: instancePath + "/extension_type", schemaPath: "#/properties/extension_type/type", keyword: "type", params: { type: schema60.properties.extension_type.type } }];
                return false;
              }
              if (errors === _errs5) {
                if (typeof data1 === "string") {
                  if (data1.length > 64) {
                    validate25.errors = [{ instancePath: instancePath + "/extension_type", schemaPath: "#/properties/extension_type/maxLength", keyword: "maxLength", params: { limit: 64 } }];
                    return false;
                  } else {
                    if (data1.length < 1) {
                      validate25.errors = [{ instancePath: instancePath + "/extension_type", schemaPath: "#/properties/extension_type/minLength", keyword: "minLength", params: { limit: 1 } }];
                      return false;
                    } else {
                      if (!pattern25.test(data1)) {
                        validate25.errors = [{ instancePath: instancePath + "/extension_type", schemaPath: "#/properties/extension_type/pattern", keyword: "pattern", params: { pattern: "^[ -~]+$" } }];
                        return false;
                      }
                    }
                  }
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate25.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate25.errors = vErrors;
  return errors === 0;
}
validate25.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
function validate24(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate24.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.recipient_address === void 0 && (missing0 = "recipient_address") || data.mls_ciphertext === void 0 && (missing0 = "mls_ciphertext") || data.sender_signature === void 0 && (missing0 = "sender_signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate24.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "message_id" || key0 === "recipient_address" || key0 === "mls_ciphertext" || key0 === "sender_signature" || key0 === "timestamp" || key0 === "system_event" || key0 === "expires_in_seconds")) {
            validate24.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.message_id !== void 0) {
            let data0 = data.message_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern22.test(data0)) {
                  validate24.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$" } }];
                  return false;
                }
              } else {
                validate24.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.recipient_address !== void 0) {
              let data1 = data.recipient_address;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (typeof data1 === "string") {
                  if (data1.length > 296) {
                    validate24.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/maxLength", keyword: "maxLength", params: { limit: 296 } }];
                    return false;
                  } else {
                    if (data1.length < 34) {
                      validate24.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/minLength", keyword: "minLength", params: { limit: 34 } }];
                      return false;
                    } else {
                      if (!pattern23.test(data1)) {
                        validate24.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate24.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.mls_ciphertext !== void 0) {
                let data2 = data.mls_ciphertext;
                const _errs8 = errors;
                const _errs9 = errors;
                if (errors === _errs9) {
                  if (typeof data2 === "string") {
                    if (data2.length < 4) {
                      validate24.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "contract#/definitions/Base64Text/minLength", keyword: "minLength", params: { limit: 4 } }];
                      return false;
                    } else {
                      if (!pattern24.test(data2)) {
                        validate24.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "contract#/definitions/Base64Text/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" } }];
                        return false;
                      }
                    }
                  } else {
                    validate24.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "contract#/definitions/Base64Text/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.sender_signature !== void 0) {
                  let data3 = data.sender_signature;
                  const _errs11 = errors;
                  const _errs12 = errors;
                  if (errors === _errs12) {
                    if (typeof data3 === "string") {
                      if (data3.length > 512) {
                        validate24.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "contract#/definitions/SenderSignature/maxLength", keyword: "maxLength", params: { limit: 512 } }];
                        return false;
                      } else {
                        if (data3.length < 1) {
                          validate24.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "contract#/definitions/SenderSignature/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        } else {
                          if (!pattern25.test(data3)) {
                            validate24.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "contract#/definitions/SenderSignature/pattern", keyword: "pattern", params: { pattern: "^[ -~]+$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate24.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "contract#/definitions/SenderSignature/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                  var valid0 = _errs11 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.timestamp !== void 0) {
                    let data4 = data.timestamp;
                    const _errs14 = errors;
                    const _errs15 = errors;
                    if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                      validate24.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" } }];
                      return false;
                    }
                    if (errors === _errs15) {
                      if (typeof data4 == "number") {
                        if (data4 > 253402300799 || isNaN(data4)) {
                          validate24.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                          return false;
                        } else {
                          if (data4 < 0 || isNaN(data4)) {
                            validate24.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid0 = _errs14 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.system_event !== void 0) {
                      const _errs17 = errors;
                      if (!validate25(data.system_event, { instancePath: instancePath + "/system_event", parentData: data, parentDataProperty: "system_event", rootData, dynamicAnchors })) {
                        vErrors = vErrors === null ? validate25.errors : vErrors.concat(validate25.errors);
                        errors = vErrors.length;
                      }
                      var valid0 = _errs17 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.expires_in_seconds !== void 0) {
                        let data6 = data.expires_in_seconds;
                        const _errs18 = errors;
                        const _errs19 = errors;
                        if (!(typeof data6 == "number" && (!(data6 % 1) && !isNaN(data6)))) {
                          validate24.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "contract#/definitions/MessageLifetime/type", keyword: "type", params: { type: "integer" } }];
                          return false;
                        }
                        if (errors === _errs19) {
                          if (typeof data6 == "number") {
                            if (data6 > 31536e3 || isNaN(data6)) {
                              validate24.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "contract#/definitions/MessageLifetime/maximum", keyword: "maximum", params: { comparison: "<=", limit: 31536e3 } }];
                              return false;
                            } else {
                              if (data6 < 0 || isNaN(data6)) {
                                validate24.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "contract#/definitions/MessageLifetime/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid0 = _errs18 === errors;
                      } else {
                        var valid0 = true;
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate24.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate24.errors = vErrors;
  return errors === 0;
}
validate24.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsSendMessageBatchRequest = validate27;
var schema65 = { "type": "object", "additionalProperties": false, "required": ["event"], "properties": { "event": { "type": "string", "maxLength": 1e3 }, "extension_type": { "type": ["string", "null"], "maxLength": 1e3 } } };
function validate28(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate28.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.recipient_address === void 0 && (missing0 = "recipient_address") || data.mls_ciphertext === void 0 && (missing0 = "mls_ciphertext") || data.sender_signature === void 0 && (missing0 = "sender_signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate28.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "message_id" || key0 === "recipient_address" || key0 === "mls_ciphertext" || key0 === "sender_signature" || key0 === "timestamp" || key0 === "system_event" || key0 === "expires_in_seconds")) {
            validate28.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.message_id !== void 0) {
            let data0 = data.message_id;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 === "string") {
                if (data0.length > 1e3) {
                  validate28.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                  return false;
                }
              } else {
                validate28.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.recipient_address !== void 0) {
              let data1 = data.recipient_address;
              const _errs4 = errors;
              if (errors === _errs4) {
                if (typeof data1 === "string") {
                  if (data1.length > 1e3) {
                    validate28.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                    return false;
                  }
                } else {
                  validate28.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs4 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.mls_ciphertext !== void 0) {
                const _errs6 = errors;
                if (typeof data.mls_ciphertext !== "string") {
                  validate28.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "#/properties/mls_ciphertext/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
                var valid0 = _errs6 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.sender_signature !== void 0) {
                  let data3 = data.sender_signature;
                  const _errs8 = errors;
                  if (errors === _errs8) {
                    if (typeof data3 === "string") {
                      if (data3.length > 1e3) {
                        validate28.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                        return false;
                      }
                    } else {
                      validate28.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                  var valid0 = _errs8 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.timestamp !== void 0) {
                    let data4 = data.timestamp;
                    const _errs10 = errors;
                    if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                      validate28.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/type", keyword: "type", params: { type: "integer" } }];
                      return false;
                    }
                    if (errors === _errs10) {
                      if (typeof data4 == "number") {
                        if (data4 > 9007199254740991 || isNaN(data4)) {
                          validate28.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } }];
                          return false;
                        } else {
                          if (data4 < -9007199254740991 || isNaN(data4)) {
                            validate28.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 } }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid0 = _errs10 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.system_event !== void 0) {
                      let data5 = data.system_event;
                      const _errs12 = errors;
                      const _errs13 = errors;
                      if (errors === _errs13) {
                        if (data5 && typeof data5 == "object" && !Array.isArray(data5)) {
                          let missing1;
                          if (data5.event === void 0 && (missing1 = "event")) {
                            validate28.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/BatchSystemEvent/required", keyword: "required", params: { missingProperty: missing1 } }];
                            return false;
                          } else {
                            const _errs15 = errors;
                            for (const key1 in data5) {
                              if (!(key1 === "event" || key1 === "extension_type")) {
                                validate28.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/BatchSystemEvent/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 } }];
                                return false;
                                break;
                              }
                            }
                            if (_errs15 === errors) {
                              if (data5.event !== void 0) {
                                let data6 = data5.event;
                                const _errs16 = errors;
                                if (errors === _errs16) {
                                  if (typeof data6 === "string") {
                                    if (data6.length > 1e3) {
                                      validate28.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "contract#/definitions/BatchSystemEvent/properties/event/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                                      return false;
                                    }
                                  } else {
                                    validate28.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "contract#/definitions/BatchSystemEvent/properties/event/type", keyword: "type", params: { type: "string" } }];
                                    return false;
                                  }
                                }
                                var valid2 = _errs16 === errors;
                              } else {
                                var valid2 = true;
                              }
                              if (valid2) {
                                if (data5.extension_type !== void 0) {
                                  let data7 = data5.extension_type;
                                  const _errs18 = errors;
                                  if (typeof data7 !== "string" && data7 !== null) {
                                    validate28.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "contract#/definitions/BatchSystemEvent/properties/extension_type/type", keyword: "type", params: { type: schema65.properties.extension_type.type } }];
                                    return false;
                                  }
                                  if (errors === _errs18) {
                                    if (typeof data7 === "string") {
                                      if (data7.length > 1e3) {
                                        validate28.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "contract#/definitions/BatchSystemEvent/properties/extension_type/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                                        return false;
                                      }
                                    }
                                  }
                                  var valid2 = _errs18 === errors;
                                } else {
                                  var valid2 = true;
                                }
                              }
                            }
                          }
                        } else {
                          validate28.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/BatchSystemEvent/type", keyword: "type", params: { type: "object" } }];
                          return false;
                        }
                      }
                      var valid0 = _errs12 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.expires_in_seconds !== void 0) {
                        let data8 = data.expires_in_seconds;
                        const _errs20 = errors;
                        if (!(typeof data8 == "number" && (!(data8 % 1) && !isNaN(data8)))) {
                          validate28.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "#/properties/expires_in_seconds/type", keyword: "type", params: { type: "integer" } }];
                          return false;
                        }
                        if (errors === _errs20) {
                          if (typeof data8 == "number") {
                            if (data8 > 9007199254740991 || isNaN(data8)) {
                              validate28.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "#/properties/expires_in_seconds/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } }];
                              return false;
                            } else {
                              if (data8 < -9007199254740991 || isNaN(data8)) {
                                validate28.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "#/properties/expires_in_seconds/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 } }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid0 = _errs20 === errors;
                      } else {
                        var valid0 = true;
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate28.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate28.errors = vErrors;
  return errors === 0;
}
validate28.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
function validate27(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate27.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.messages === void 0 && (missing0 = "messages")) {
        validate27.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "messages" || key0 === "one_message")) {
            validate27.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.messages !== void 0) {
            let data0 = data.messages;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (Array.isArray(data0)) {
                if (data0.length > 1e3) {
                  validate27.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/maxItems", keyword: "maxItems", params: { limit: 1e3 } }];
                  return false;
                } else {
                  var valid1 = true;
                  const len0 = data0.length;
                  for (let i0 = 0; i0 < len0; i0++) {
                    const _errs4 = errors;
                    if (!validate28(data0[i0], { instancePath: instancePath + "/messages/" + i0, parentData: data0, parentDataProperty: i0, rootData, dynamicAnchors })) {
                      vErrors = vErrors === null ? validate28.errors : vErrors.concat(validate28.errors);
                      errors = vErrors.length;
                    }
                    var valid1 = _errs4 === errors;
                    if (!valid1) {
                      break;
                    }
                  }
                }
              } else {
                validate27.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/type", keyword: "type", params: { type: "array" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.one_message !== void 0) {
              const _errs5 = errors;
              if (typeof data.one_message !== "boolean") {
                validate27.errors = [{ instancePath: instancePath + "/one_message", schemaPath: "#/properties/one_message/type", keyword: "type", params: { type: "boolean" } }];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate27.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate27.errors = vErrors;
  return errors === 0;
}
validate27.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsSendMessageToManyRequest = validate30;
function validate30(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate30.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.recipients === void 0 && (missing0 = "recipients") || data.mls_ciphertext === void 0 && (missing0 = "mls_ciphertext") || data.sender_signature === void 0 && (missing0 = "sender_signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate30.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "message_id" || key0 === "recipients" || key0 === "mls_ciphertext" || key0 === "sender_signature" || key0 === "timestamp" || key0 === "system_event" || key0 === "expires_in_seconds" || key0 === "all_or_nothing")) {
            validate30.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.message_id !== void 0) {
            let data0 = data.message_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern22.test(data0)) {
                  validate30.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$" } }];
                  return false;
                }
              } else {
                validate30.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.recipients !== void 0) {
              let data1 = data.recipients;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (Array.isArray(data1)) {
                  if (data1.length > 1e3) {
                    validate30.errors = [{ instancePath: instancePath + "/recipients", schemaPath: "#/properties/recipients/maxItems", keyword: "maxItems", params: { limit: 1e3 } }];
                    return false;
                  } else {
                    if (data1.length < 1) {
                      validate30.errors = [{ instancePath: instancePath + "/recipients", schemaPath: "#/properties/recipients/minItems", keyword: "minItems", params: { limit: 1 } }];
                      return false;
                    } else {
                      var valid2 = true;
                      const len0 = data1.length;
                      for (let i0 = 0; i0 < len0; i0++) {
                        let data2 = data1[i0];
                        const _errs7 = errors;
                        if (errors === _errs7) {
                          if (typeof data2 === "string") {
                            if (data2.length > 1e3) {
                              validate30.errors = [{ instancePath: instancePath + "/recipients/" + i0, schemaPath: "#/properties/recipients/items/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                              return false;
                            }
                          } else {
                            validate30.errors = [{ instancePath: instancePath + "/recipients/" + i0, schemaPath: "#/properties/recipients/items/type", keyword: "type", params: { type: "string" } }];
                            return false;
                          }
                        }
                        var valid2 = _errs7 === errors;
                        if (!valid2) {
                          break;
                        }
                      }
                    }
                  }
                } else {
                  validate30.errors = [{ instancePath: instancePath + "/recipients", schemaPath: "#/properties/recipients/type", keyword: "type", params: { type: "array" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.mls_ciphertext !== void 0) {
                let data3 = data.mls_ciphertext;
                const _errs9 = errors;
                const _errs10 = errors;
                if (errors === _errs10) {
                  if (typeof data3 === "string") {
                    if (data3.length < 4) {
                      validate30.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "contract#/definitions/Base64Text/minLength", keyword: "minLength", params: { limit: 4 } }];
                      return false;
                    } else {
                      if (!pattern24.test(data3)) {
                        validate30.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "contract#/definitions/Base64Text/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" } }];
                        return false;
                      }
                    }
                  } else {
                    validate30.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "contract#/definitions/Base64Text/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs9 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.sender_signature !== void 0) {
                  let data4 = data.sender_signature;
                  const _errs12 = errors;
                  const _errs13 = errors;
                  if (errors === _errs13) {
                    if (typeof data4 === "string") {
                      if (data4.length > 512) {
                        validate30.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "contract#/definitions/SenderSignature/maxLength", keyword: "maxLength", params: { limit: 512 } }];
                        return false;
                      } else {
                        if (data4.length < 1) {
                          validate30.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "contract#/definitions/SenderSignature/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        } else {
                          if (!pattern25.test(data4)) {
                            validate30.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "contract#/definitions/SenderSignature/pattern", keyword: "pattern", params: { pattern: "^[ -~]+$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate30.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "contract#/definitions/SenderSignature/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                  var valid0 = _errs12 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.timestamp !== void 0) {
                    let data5 = data.timestamp;
                    const _errs15 = errors;
                    const _errs16 = errors;
                    if (!(typeof data5 == "number" && (!(data5 % 1) && !isNaN(data5)))) {
                      validate30.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" } }];
                      return false;
                    }
                    if (errors === _errs16) {
                      if (typeof data5 == "number") {
                        if (data5 > 253402300799 || isNaN(data5)) {
                          validate30.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                          return false;
                        } else {
                          if (data5 < 0 || isNaN(data5)) {
                            validate30.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid0 = _errs15 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.system_event !== void 0) {
                      const _errs18 = errors;
                      if (!validate25(data.system_event, { instancePath: instancePath + "/system_event", parentData: data, parentDataProperty: "system_event", rootData, dynamicAnchors })) {
                        vErrors = vErrors === null ? validate25.errors : vErrors.concat(validate25.errors);
                        errors = vErrors.length;
                      }
                      var valid0 = _errs18 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.expires_in_seconds !== void 0) {
                        let data7 = data.expires_in_seconds;
                        const _errs19 = errors;
                        const _errs20 = errors;
                        if (!(typeof data7 == "number" && (!(data7 % 1) && !isNaN(data7)))) {
                          validate30.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "contract#/definitions/MessageLifetime/type", keyword: "type", params: { type: "integer" } }];
                          return false;
                        }
                        if (errors === _errs20) {
                          if (typeof data7 == "number") {
                            if (data7 > 31536e3 || isNaN(data7)) {
                              validate30.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "contract#/definitions/MessageLifetime/maximum", keyword: "maximum", params: { comparison: "<=", limit: 31536e3 } }];
                              return false;
                            } else {
                              if (data7 < 0 || isNaN(data7)) {
                                validate30.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "contract#/definitions/MessageLifetime/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid0 = _errs19 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.all_or_nothing !== void 0) {
                          const _errs22 = errors;
                          if (typeof data.all_or_nothing !== "boolean") {
                            validate30.errors = [{ instancePath: instancePath + "/all_or_nothing", schemaPath: "#/properties/all_or_nothing/type", keyword: "type", params: { type: "boolean" } }];
                            return false;
                          }
                          var valid0 = _errs22 === errors;
                        } else {
                          var valid0 = true;
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate30.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate30.errors = vErrors;
  return errors === 0;
}
validate30.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsAcknowledgeMessagesRequest = validate32;
function validate32(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate32.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_ids === void 0 && (missing0 = "message_ids")) {
        validate32.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "message_ids")) {
            validate32.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.message_ids !== void 0) {
            let data0 = data.message_ids;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (Array.isArray(data0)) {
                if (data0.length > 1e3) {
                  validate32.errors = [{ instancePath: instancePath + "/message_ids", schemaPath: "#/properties/message_ids/maxItems", keyword: "maxItems", params: { limit: 1e3 } }];
                  return false;
                } else {
                  var valid1 = true;
                  const len0 = data0.length;
                  for (let i0 = 0; i0 < len0; i0++) {
                    let data1 = data0[i0];
                    const _errs4 = errors;
                    if (errors === _errs4) {
                      if (typeof data1 === "string") {
                        if (data1.length > 1e3) {
                          validate32.errors = [{ instancePath: instancePath + "/message_ids/" + i0, schemaPath: "#/properties/message_ids/items/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                          return false;
                        }
                      } else {
                        validate32.errors = [{ instancePath: instancePath + "/message_ids/" + i0, schemaPath: "#/properties/message_ids/items/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                    var valid1 = _errs4 === errors;
                    if (!valid1) {
                      break;
                    }
                  }
                }
              } else {
                validate32.errors = [{ instancePath: instancePath + "/message_ids", schemaPath: "#/properties/message_ids/type", keyword: "type", params: { type: "array" } }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate32.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate32.errors = vErrors;
  return errors === 0;
}
validate32.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsReadSlotsRequest = validate33;
function validate33(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate33.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.slots === void 0 && (missing0 = "slots")) {
        validate33.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "slots")) {
            validate33.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.slots !== void 0) {
            let data0 = data.slots;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (Array.isArray(data0)) {
                if (data0.length > 100) {
                  validate33.errors = [{ instancePath: instancePath + "/slots", schemaPath: "#/properties/slots/maxItems", keyword: "maxItems", params: { limit: 100 } }];
                  return false;
                } else {
                  if (data0.length < 1) {
                    validate33.errors = [{ instancePath: instancePath + "/slots", schemaPath: "#/properties/slots/minItems", keyword: "minItems", params: { limit: 1 } }];
                    return false;
                  } else {
                    var valid1 = true;
                    const len0 = data0.length;
                    for (let i0 = 0; i0 < len0; i0++) {
                      let data1 = data0[i0];
                      const _errs4 = errors;
                      const _errs5 = errors;
                      if (errors === _errs5) {
                        if (typeof data1 === "string") {
                          if (!pattern4.test(data1)) {
                            validate33.errors = [{ instancePath: instancePath + "/slots/" + i0, schemaPath: "contract#/definitions/SlotName/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                            return false;
                          }
                        } else {
                          validate33.errors = [{ instancePath: instancePath + "/slots/" + i0, schemaPath: "contract#/definitions/SlotName/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                      var valid1 = _errs4 === errors;
                      if (!valid1) {
                        break;
                      }
                    }
                  }
                }
              } else {
                validate33.errors = [{ instancePath: instancePath + "/slots", schemaPath: "#/properties/slots/type", keyword: "type", params: { type: "array" } }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate33.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate33.errors = vErrors;
  return errors === 0;
}
validate33.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsTakeSlotRequest = validate34;
var pattern36 = func0("^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$", "u");
function validate34(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate34.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.content === void 0 && (missing0 = "content") || data.slot_key === void 0 && (missing0 = "slot_key") || data.public_key === void 0 && (missing0 = "public_key") || data.signature === void 0 && (missing0 = "signature")) {
        validate34.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "content" || key0 === "slot_key" || key0 === "public_key" || key0 === "signature" || key0 === "path" || key0 === "domain")) {
            validate34.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.content !== void 0) {
            let data0 = data.content;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (data0.length < 4) {
                  validate34.errors = [{ instancePath: instancePath + "/content", schemaPath: "contract#/definitions/SlotContent/minLength", keyword: "minLength", params: { limit: 4 } }];
                  return false;
                } else {
                  if (!pattern24.test(data0)) {
                    validate34.errors = [{ instancePath: instancePath + "/content", schemaPath: "contract#/definitions/SlotContent/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" } }];
                    return false;
                  }
                }
              } else {
                validate34.errors = [{ instancePath: instancePath + "/content", schemaPath: "contract#/definitions/SlotContent/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.slot_key !== void 0) {
              let data1 = data.slot_key;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (typeof data1 === "string") {
                  if (!pattern4.test(data1)) {
                    validate34.errors = [{ instancePath: instancePath + "/slot_key", schemaPath: "contract#/definitions/PublicKey/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                    return false;
                  }
                } else {
                  validate34.errors = [{ instancePath: instancePath + "/slot_key", schemaPath: "contract#/definitions/PublicKey/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.public_key !== void 0) {
                let data2 = data.public_key;
                const _errs8 = errors;
                const _errs9 = errors;
                if (errors === _errs9) {
                  if (typeof data2 === "string") {
                    if (!pattern4.test(data2)) {
                      validate34.errors = [{ instancePath: instancePath + "/public_key", schemaPath: "contract#/definitions/TakingKey/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                      return false;
                    }
                  } else {
                    validate34.errors = [{ instancePath: instancePath + "/public_key", schemaPath: "contract#/definitions/TakingKey/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.signature !== void 0) {
                  let data3 = data.signature;
                  const _errs11 = errors;
                  const _errs12 = errors;
                  if (errors === _errs12) {
                    if (typeof data3 === "string") {
                      if (!pattern7.test(data3)) {
                        validate34.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/TakingSignature/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{128}$" } }];
                        return false;
                      }
                    } else {
                      validate34.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/TakingSignature/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                  var valid0 = _errs11 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.path !== void 0) {
                    let data4 = data.path;
                    const _errs14 = errors;
                    const _errs15 = errors;
                    if (errors === _errs15) {
                      if (Array.isArray(data4)) {
                        if (data4.length > 32) {
                          validate34.errors = [{ instancePath: instancePath + "/path", schemaPath: "contract#/definitions/TakingPath/maxItems", keyword: "maxItems", params: { limit: 32 } }];
                          return false;
                        } else {
                          var valid6 = true;
                          const len0 = data4.length;
                          for (let i0 = 0; i0 < len0; i0++) {
                            let data5 = data4[i0];
                            const _errs17 = errors;
                            if (errors === _errs17) {
                              if (typeof data5 === "string") {
                                if (!pattern4.test(data5)) {
                                  validate34.errors = [{ instancePath: instancePath + "/path/" + i0, schemaPath: "contract#/definitions/TakingPath/items/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                                  return false;
                                }
                              } else {
                                validate34.errors = [{ instancePath: instancePath + "/path/" + i0, schemaPath: "contract#/definitions/TakingPath/items/type", keyword: "type", params: { type: "string" } }];
                                return false;
                              }
                            }
                            var valid6 = _errs17 === errors;
                            if (!valid6) {
                              break;
                            }
                          }
                        }
                      } else {
                        validate34.errors = [{ instancePath: instancePath + "/path", schemaPath: "contract#/definitions/TakingPath/type", keyword: "type", params: { type: "array" } }];
                        return false;
                      }
                    }
                    var valid0 = _errs14 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.domain !== void 0) {
                      let data6 = data.domain;
                      const _errs19 = errors;
                      const _errs20 = errors;
                      if (errors === _errs20) {
                        if (typeof data6 === "string") {
                          if (data6.length > 259) {
                            validate34.errors = [{ instancePath: instancePath + "/domain", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                            return false;
                          } else {
                            if (data6.length < 1) {
                              validate34.errors = [{ instancePath: instancePath + "/domain", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                              return false;
                            } else {
                              if (!pattern36.test(data6)) {
                                validate34.errors = [{ instancePath: instancePath + "/domain", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                                return false;
                              }
                            }
                          }
                        } else {
                          validate34.errors = [{ instancePath: instancePath + "/domain", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                      var valid0 = _errs19 === errors;
                    } else {
                      var valid0 = true;
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate34.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate34.errors = vErrors;
  return errors === 0;
}
validate34.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsSubscribeToPushRequest = validate35;
var schema85 = { "type": "string", "enum": ["high", "low"] };
var pattern37 = func0("^https://[^\\s#@]+$", "u");
var pattern38 = func0("^[A-Za-z0-9_-]*$", "u");
function validate35(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate35.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.endpoint === void 0 && (missing0 = "endpoint") || data.p256dh === void 0 && (missing0 = "p256dh") || data.auth === void 0 && (missing0 = "auth")) {
        validate35.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "endpoint" || key0 === "p256dh" || key0 === "auth" || key0 === "expires_at" || key0 === "urgency")) {
            validate35.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.endpoint !== void 0) {
            let data0 = data.endpoint;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (data0.length > 2048) {
                  validate35.errors = [{ instancePath: instancePath + "/endpoint", schemaPath: "contract#/definitions/PushEndpoint/maxLength", keyword: "maxLength", params: { limit: 2048 } }];
                  return false;
                } else {
                  if (data0.length < 12) {
                    validate35.errors = [{ instancePath: instancePath + "/endpoint", schemaPath: "contract#/definitions/PushEndpoint/minLength", keyword: "minLength", params: { limit: 12 } }];
                    return false;
                  } else {
                    if (!pattern37.test(data0)) {
                      validate35.errors = [{ instancePath: instancePath + "/endpoint", schemaPath: "contract#/definitions/PushEndpoint/pattern", keyword: "pattern", params: { pattern: "^https://[^\\s#@]+$" } }];
                      return false;
                    }
                  }
                }
              } else {
                validate35.errors = [{ instancePath: instancePath + "/endpoint", schemaPath: "contract#/definitions/PushEndpoint/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.p256dh !== void 0) {
              let data1 = data.p256dh;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (typeof data1 === "string") {
                  if (data1.length > 87) {
                    validate35.errors = [{ instancePath: instancePath + "/p256dh", schemaPath: "#/properties/p256dh/maxLength", keyword: "maxLength", params: { limit: 87 } }];
                    return false;
                  } else {
                    if (data1.length < 87) {
                      validate35.errors = [{ instancePath: instancePath + "/p256dh", schemaPath: "#/properties/p256dh/minLength", keyword: "minLength", params: { limit: 87 } }];
                      return false;
                    } else {
                      if (!pattern38.test(data1)) {
                        validate35.errors = [{ instancePath: instancePath + "/p256dh", schemaPath: "#/properties/p256dh/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9_-]*$" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate35.errors = [{ instancePath: instancePath + "/p256dh", schemaPath: "#/properties/p256dh/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.auth !== void 0) {
                let data2 = data.auth;
                const _errs7 = errors;
                if (errors === _errs7) {
                  if (typeof data2 === "string") {
                    if (data2.length > 22) {
                      validate35.errors = [{ instancePath: instancePath + "/auth", schemaPath: "#/properties/auth/maxLength", keyword: "maxLength", params: { limit: 22 } }];
                      return false;
                    } else {
                      if (data2.length < 22) {
                        validate35.errors = [{ instancePath: instancePath + "/auth", schemaPath: "#/properties/auth/minLength", keyword: "minLength", params: { limit: 22 } }];
                        return false;
                      } else {
                        if (!pattern38.test(data2)) {
                          validate35.errors = [{ instancePath: instancePath + "/auth", schemaPath: "#/properties/auth/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9_-]*$" } }];
                          return false;
                        }
                      }
                    }
                  } else {
                    validate35.errors = [{ instancePath: instancePath + "/auth", schemaPath: "#/properties/auth/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.expires_at !== void 0) {
                  let data3 = data.expires_at;
                  const _errs9 = errors;
                  const _errs10 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                    validate35.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs10) {
                    if (typeof data3 == "number") {
                      if (data3 > 253402300799 || isNaN(data3)) {
                        validate35.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate35.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs9 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.urgency !== void 0) {
                    let data4 = data.urgency;
                    const _errs12 = errors;
                    if (typeof data4 !== "string") {
                      validate35.errors = [{ instancePath: instancePath + "/urgency", schemaPath: "contract#/definitions/PushUrgency/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                    if (!(data4 === "high" || data4 === "low")) {
                      validate35.errors = [{ instancePath: instancePath + "/urgency", schemaPath: "contract#/definitions/PushUrgency/enum", keyword: "enum", params: { allowedValues: schema85.enum } }];
                      return false;
                    }
                    var valid0 = _errs12 === errors;
                  } else {
                    var valid0 = true;
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate35.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate35.errors = vErrors;
  return errors === 0;
}
validate35.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsConfirmPushSubscriptionRequest = validate36;
function validate36(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate36.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.code === void 0 && (missing0 = "code")) {
        validate36.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "code")) {
            validate36.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.code !== void 0) {
            let data0 = data.code;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 === "string") {
                if (data0.length > 22) {
                  validate36.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/maxLength", keyword: "maxLength", params: { limit: 22 } }];
                  return false;
                } else {
                  if (data0.length < 22) {
                    validate36.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/minLength", keyword: "minLength", params: { limit: 22 } }];
                    return false;
                  } else {
                    if (!pattern38.test(data0)) {
                      validate36.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9_-]*$" } }];
                      return false;
                    }
                  }
                }
              } else {
                validate36.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate36.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate36.errors = vErrors;
  return errors === 0;
}
validate36.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsCreateBlobRequest = validate37;
function validate37(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate37.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.size === void 0 && (missing0 = "size") || data.lifetime_seconds === void 0 && (missing0 = "lifetime_seconds")) {
        validate37.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "size" || key0 === "lifetime_seconds" || key0 === "max_downloads")) {
            validate37.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.size !== void 0) {
            let data0 = data.size;
            const _errs2 = errors;
            if (!(typeof data0 == "number" && (!(data0 % 1) && !isNaN(data0)))) {
              validate37.errors = [{ instancePath: instancePath + "/size", schemaPath: "#/properties/size/type", keyword: "type", params: { type: "integer" } }];
              return false;
            }
            if (errors === _errs2) {
              if (typeof data0 == "number") {
                if (data0 > 4294967296 || isNaN(data0)) {
                  validate37.errors = [{ instancePath: instancePath + "/size", schemaPath: "#/properties/size/maximum", keyword: "maximum", params: { comparison: "<=", limit: 4294967296 } }];
                  return false;
                } else {
                  if (data0 < 1 || isNaN(data0)) {
                    validate37.errors = [{ instancePath: instancePath + "/size", schemaPath: "#/properties/size/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                    return false;
                  }
                }
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.lifetime_seconds !== void 0) {
              let data1 = data.lifetime_seconds;
              const _errs4 = errors;
              if (!(typeof data1 == "number" && (!(data1 % 1) && !isNaN(data1)))) {
                validate37.errors = [{ instancePath: instancePath + "/lifetime_seconds", schemaPath: "#/properties/lifetime_seconds/type", keyword: "type", params: { type: "integer" } }];
                return false;
              }
              if (errors === _errs4) {
                if (typeof data1 == "number") {
                  if (data1 > 7776e3 || isNaN(data1)) {
                    validate37.errors = [{ instancePath: instancePath + "/lifetime_seconds", schemaPath: "#/properties/lifetime_seconds/maximum", keyword: "maximum", params: { comparison: "<=", limit: 7776e3 } }];
                    return false;
                  } else {
                    if (data1 < 60 || isNaN(data1)) {
                      validate37.errors = [{ instancePath: instancePath + "/lifetime_seconds", schemaPath: "#/properties/lifetime_seconds/minimum", keyword: "minimum", params: { comparison: ">=", limit: 60 } }];
                      return false;
                    }
                  }
                }
              }
              var valid0 = _errs4 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.max_downloads !== void 0) {
                let data2 = data.max_downloads;
                const _errs6 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate37.errors = [{ instancePath: instancePath + "/max_downloads", schemaPath: "#/properties/max_downloads/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs6) {
                  if (typeof data2 == "number") {
                    if (data2 > 1e5 || isNaN(data2)) {
                      validate37.errors = [{ instancePath: instancePath + "/max_downloads", schemaPath: "#/properties/max_downloads/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e5 } }];
                      return false;
                    } else {
                      if (data2 < 1 || isNaN(data2)) {
                        validate37.errors = [{ instancePath: instancePath + "/max_downloads", schemaPath: "#/properties/max_downloads/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs6 === errors;
              } else {
                var valid0 = true;
              }
            }
          }
        }
      }
    } else {
      validate37.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate37.errors = vErrors;
  return errors === 0;
}
validate37.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsFederatedClaimRequest = validate38;
function validate39(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate39.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (Array.isArray(data)) {
      if (data.length > 100) {
        validate39.errors = [{ instancePath, schemaPath: "#/maxItems", keyword: "maxItems", params: { limit: 100 } }];
        return false;
      } else {
        if (data.length < 1) {
          validate39.errors = [{ instancePath, schemaPath: "#/minItems", keyword: "minItems", params: { limit: 1 } }];
          return false;
        } else {
          var valid0 = true;
          const len0 = data.length;
          for (let i0 = 0; i0 < len0; i0++) {
            let data0 = data[i0];
            const _errs1 = errors;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 === "string") {
                if (data0.length > 296) {
                  validate39.errors = [{ instancePath: instancePath + "/" + i0, schemaPath: "contract#/definitions/Address/maxLength", keyword: "maxLength", params: { limit: 296 } }];
                  return false;
                } else {
                  if (data0.length < 34) {
                    validate39.errors = [{ instancePath: instancePath + "/" + i0, schemaPath: "contract#/definitions/Address/minLength", keyword: "minLength", params: { limit: 34 } }];
                    return false;
                  } else {
                    if (!pattern23.test(data0)) {
                      validate39.errors = [{ instancePath: instancePath + "/" + i0, schemaPath: "contract#/definitions/Address/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                      return false;
                    }
                  }
                }
              } else {
                validate39.errors = [{ instancePath: instancePath + "/" + i0, schemaPath: "contract#/definitions/Address/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs1 === errors;
            if (!valid0) {
              break;
            }
          }
        }
      }
    } else {
      validate39.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "array" } }];
      return false;
    }
  }
  validate39.errors = vErrors;
  return errors === 0;
}
validate39.evaluated = { "items": true, "dynamicProps": false, "dynamicItems": false };
function validate38(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate38.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.origin_server === void 0 && (missing0 = "origin_server") || data.claim_id === void 0 && (missing0 = "claim_id") || data.addresses === void 0 && (missing0 = "addresses")) {
        validate38.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.origin_server !== void 0) {
          let data0 = data.origin_server;
          const _errs2 = errors;
          const _errs3 = errors;
          if (errors === _errs3) {
            if (typeof data0 === "string") {
              if (data0.length > 259) {
                validate38.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                return false;
              } else {
                if (data0.length < 1) {
                  validate38.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                  return false;
                } else {
                  if (!pattern36.test(data0)) {
                    validate38.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                    return false;
                  }
                }
              }
            } else {
              validate38.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.claim_id !== void 0) {
            let data1 = data.claim_id;
            const _errs5 = errors;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (typeof data1 === "string") {
                if (!pattern4.test(data1)) {
                  validate38.errors = [{ instancePath: instancePath + "/claim_id", schemaPath: "contract#/definitions/ClaimId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate38.errors = [{ instancePath: instancePath + "/claim_id", schemaPath: "contract#/definitions/ClaimId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs5 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.addresses !== void 0) {
              const _errs8 = errors;
              if (!validate39(data.addresses, { instancePath: instancePath + "/addresses", parentData: data, parentDataProperty: "addresses", rootData, dynamicAnchors })) {
                vErrors = vErrors === null ? validate39.errors : vErrors.concat(validate39.errors);
                errors = vErrors.length;
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate38.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate38.errors = vErrors;
  return errors === 0;
}
validate38.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsFederatedSlotRequest = validate41;
function validate41(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate41.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.origin_server === void 0 && (missing0 = "origin_server") || data.slot === void 0 && (missing0 = "slot")) {
        validate41.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.origin_server !== void 0) {
          let data0 = data.origin_server;
          const _errs2 = errors;
          const _errs3 = errors;
          if (errors === _errs3) {
            if (typeof data0 === "string") {
              if (data0.length > 259) {
                validate41.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                return false;
              } else {
                if (data0.length < 1) {
                  validate41.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                  return false;
                } else {
                  if (!pattern36.test(data0)) {
                    validate41.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                    return false;
                  }
                }
              }
            } else {
              validate41.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.slot !== void 0) {
            let data1 = data.slot;
            const _errs5 = errors;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (typeof data1 === "string") {
                if (!pattern4.test(data1)) {
                  validate41.errors = [{ instancePath: instancePath + "/slot", schemaPath: "contract#/definitions/SlotName/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate41.errors = [{ instancePath: instancePath + "/slot", schemaPath: "contract#/definitions/SlotName/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs5 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.content !== void 0) {
              let data2 = data.content;
              const _errs8 = errors;
              const _errs9 = errors;
              if (errors === _errs9) {
                if (typeof data2 === "string") {
                  if (data2.length < 4) {
                    validate41.errors = [{ instancePath: instancePath + "/content", schemaPath: "contract#/definitions/SlotContent/minLength", keyword: "minLength", params: { limit: 4 } }];
                    return false;
                  } else {
                    if (!pattern24.test(data2)) {
                      validate41.errors = [{ instancePath: instancePath + "/content", schemaPath: "contract#/definitions/SlotContent/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" } }];
                      return false;
                    }
                  }
                } else {
                  validate41.errors = [{ instancePath: instancePath + "/content", schemaPath: "contract#/definitions/SlotContent/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.slot_key !== void 0) {
                let data3 = data.slot_key;
                const _errs11 = errors;
                const _errs12 = errors;
                if (errors === _errs12) {
                  if (typeof data3 === "string") {
                    if (!pattern4.test(data3)) {
                      validate41.errors = [{ instancePath: instancePath + "/slot_key", schemaPath: "contract#/definitions/PublicKey/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                      return false;
                    }
                  } else {
                    validate41.errors = [{ instancePath: instancePath + "/slot_key", schemaPath: "contract#/definitions/PublicKey/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs11 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.public_key !== void 0) {
                  let data4 = data.public_key;
                  const _errs14 = errors;
                  const _errs15 = errors;
                  if (errors === _errs15) {
                    if (typeof data4 === "string") {
                      if (!pattern4.test(data4)) {
                        validate41.errors = [{ instancePath: instancePath + "/public_key", schemaPath: "contract#/definitions/TakingKey/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate41.errors = [{ instancePath: instancePath + "/public_key", schemaPath: "contract#/definitions/TakingKey/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                  var valid0 = _errs14 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.signature !== void 0) {
                    let data5 = data.signature;
                    const _errs17 = errors;
                    const _errs18 = errors;
                    if (errors === _errs18) {
                      if (typeof data5 === "string") {
                        if (!pattern7.test(data5)) {
                          validate41.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/TakingSignature/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{128}$" } }];
                          return false;
                        }
                      } else {
                        validate41.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/TakingSignature/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                    var valid0 = _errs17 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.path !== void 0) {
                      let data6 = data.path;
                      const _errs20 = errors;
                      const _errs21 = errors;
                      if (errors === _errs21) {
                        if (Array.isArray(data6)) {
                          if (data6.length > 32) {
                            validate41.errors = [{ instancePath: instancePath + "/path", schemaPath: "contract#/definitions/TakingPath/maxItems", keyword: "maxItems", params: { limit: 32 } }];
                            return false;
                          } else {
                            var valid8 = true;
                            const len0 = data6.length;
                            for (let i0 = 0; i0 < len0; i0++) {
                              let data7 = data6[i0];
                              const _errs23 = errors;
                              if (errors === _errs23) {
                                if (typeof data7 === "string") {
                                  if (!pattern4.test(data7)) {
                                    validate41.errors = [{ instancePath: instancePath + "/path/" + i0, schemaPath: "contract#/definitions/TakingPath/items/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                                    return false;
                                  }
                                } else {
                                  validate41.errors = [{ instancePath: instancePath + "/path/" + i0, schemaPath: "contract#/definitions/TakingPath/items/type", keyword: "type", params: { type: "string" } }];
                                  return false;
                                }
                              }
                              var valid8 = _errs23 === errors;
                              if (!valid8) {
                                break;
                              }
                            }
                          }
                        } else {
                          validate41.errors = [{ instancePath: instancePath + "/path", schemaPath: "contract#/definitions/TakingPath/type", keyword: "type", params: { type: "array" } }];
                          return false;
                        }
                      }
                      var valid0 = _errs20 === errors;
                    } else {
                      var valid0 = true;
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate41.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate41.errors = vErrors;
  return errors === 0;
}
validate41.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsFederationChallengeRequest = validate42;
function validate42(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate42.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.origin_server === void 0 && (missing0 = "origin_server")) {
        validate42.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.origin_server !== void 0) {
          let data0 = data.origin_server;
          const _errs3 = errors;
          if (errors === _errs3) {
            if (typeof data0 === "string") {
              if (data0.length > 259) {
                validate42.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                return false;
              } else {
                if (data0.length < 1) {
                  validate42.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                  return false;
                } else {
                  if (!pattern36.test(data0)) {
                    validate42.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                    return false;
                  }
                }
              }
            } else {
              validate42.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
          }
        }
      }
    } else {
      validate42.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate42.errors = vErrors;
  return errors === 0;
}
validate42.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsFederationAuthRequest = validate43;
function validate43(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate43.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.origin_server === void 0 && (missing0 = "origin_server") || data.server_certificate === void 0 && (missing0 = "server_certificate") || data.challenge_response === void 0 && (missing0 = "challenge_response")) {
        validate43.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.origin_server !== void 0) {
          let data0 = data.origin_server;
          const _errs2 = errors;
          const _errs3 = errors;
          if (errors === _errs3) {
            if (typeof data0 === "string") {
              if (data0.length > 259) {
                validate43.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                return false;
              } else {
                if (data0.length < 1) {
                  validate43.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                  return false;
                } else {
                  if (!pattern36.test(data0)) {
                    validate43.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                    return false;
                  }
                }
              }
            } else {
              validate43.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.server_certificate !== void 0) {
            let data1 = data.server_certificate;
            const _errs5 = errors;
            if (errors === _errs5) {
              if (typeof data1 === "string") {
                if (data1.length > 60076) {
                  validate43.errors = [{ instancePath: instancePath + "/server_certificate", schemaPath: "#/properties/server_certificate/maxLength", keyword: "maxLength", params: { limit: 60076 } }];
                  return false;
                } else {
                  if (data1.length < 4) {
                    validate43.errors = [{ instancePath: instancePath + "/server_certificate", schemaPath: "#/properties/server_certificate/minLength", keyword: "minLength", params: { limit: 4 } }];
                    return false;
                  }
                }
              } else {
                validate43.errors = [{ instancePath: instancePath + "/server_certificate", schemaPath: "#/properties/server_certificate/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs5 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.challenge_response !== void 0) {
              let data2 = data.challenge_response;
              const _errs7 = errors;
              if (errors === _errs7) {
                if (typeof data2 === "string") {
                  if (data2.length > 4096) {
                    validate43.errors = [{ instancePath: instancePath + "/challenge_response", schemaPath: "#/properties/challenge_response/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                    return false;
                  } else {
                    if (data2.length < 1) {
                      validate43.errors = [{ instancePath: instancePath + "/challenge_response", schemaPath: "#/properties/challenge_response/minLength", keyword: "minLength", params: { limit: 1 } }];
                      return false;
                    }
                  }
                } else {
                  validate43.errors = [{ instancePath: instancePath + "/challenge_response", schemaPath: "#/properties/challenge_response/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs7 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate43.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate43.errors = vErrors;
  return errors === 0;
}
validate43.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsPushOnlineMessagesRequest = validate44;
var schema108 = { "type": "object", "additionalProperties": true, "x-open-because": "A newer peer may send more, which is ignored.", "required": ["event"], "properties": { "event": { "type": "string", "maxLength": 1e3 }, "extension_type": { "type": ["string", "null"], "maxLength": 1e3 } } };
function validate45(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate45.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.recipient_address === void 0 && (missing0 = "recipient_address") || data.mls_ciphertext === void 0 && (missing0 = "mls_ciphertext") || data.sender_signature === void 0 && (missing0 = "sender_signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate45.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.message_id !== void 0) {
          let data0 = data.message_id;
          const _errs2 = errors;
          if (errors === _errs2) {
            if (typeof data0 === "string") {
              if (data0.length > 1e3) {
                validate45.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                return false;
              }
            } else {
              validate45.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.recipient_address !== void 0) {
            let data1 = data.recipient_address;
            const _errs4 = errors;
            if (errors === _errs4) {
              if (typeof data1 === "string") {
                if (data1.length > 1e3) {
                  validate45.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                  return false;
                }
              } else {
                validate45.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs4 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.mls_ciphertext !== void 0) {
              let data2 = data.mls_ciphertext;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (typeof data2 === "string") {
                  if (data2.length > 43692) {
                    validate45.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "#/properties/mls_ciphertext/maxLength", keyword: "maxLength", params: { limit: 43692 } }];
                    return false;
                  }
                } else {
                  validate45.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "#/properties/mls_ciphertext/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs6 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.sender_signature !== void 0) {
                let data3 = data.sender_signature;
                const _errs8 = errors;
                if (errors === _errs8) {
                  if (typeof data3 === "string") {
                    if (data3.length > 1e3) {
                      validate45.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                      return false;
                    }
                  } else {
                    validate45.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.timestamp !== void 0) {
                  let data4 = data.timestamp;
                  const _errs10 = errors;
                  if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                    validate45.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs10) {
                    if (typeof data4 == "number") {
                      if (data4 > 9007199254740991 || isNaN(data4)) {
                        validate45.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } }];
                        return false;
                      } else {
                        if (data4 < -9007199254740991 || isNaN(data4)) {
                          validate45.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs10 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.system_event !== void 0) {
                    let data5 = data.system_event;
                    const _errs12 = errors;
                    const _errs13 = errors;
                    if (errors === _errs13) {
                      if (data5 && typeof data5 == "object" && !Array.isArray(data5)) {
                        let missing1;
                        if (data5.event === void 0 && (missing1 = "event")) {
                          validate45.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/FederatedSystemEvent/required", keyword: "required", params: { missingProperty: missing1 } }];
                          return false;
                        } else {
                          if (data5.event !== void 0) {
                            let data6 = data5.event;
                            const _errs16 = errors;
                            if (errors === _errs16) {
                              if (typeof data6 === "string") {
                                if (data6.length > 1e3) {
                                  validate45.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/event/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                                  return false;
                                }
                              } else {
                                validate45.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/event/type", keyword: "type", params: { type: "string" } }];
                                return false;
                              }
                            }
                            var valid2 = _errs16 === errors;
                          } else {
                            var valid2 = true;
                          }
                          if (valid2) {
                            if (data5.extension_type !== void 0) {
                              let data7 = data5.extension_type;
                              const _errs18 = errors;
                              if (typeof data7 !== "string" && data7 !== null) {
                                validate45.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/extension_type/type", keyword: "type", params: { type: schema108.properties.extension_type.type } }];
                                return false;
                              }
                              if (errors === _errs18) {
                                if (typeof data7 === "string") {
                                  if (data7.length > 1e3) {
                                    validate45.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/extension_type/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                                    return false;
                                  }
                                }
                              }
                              var valid2 = _errs18 === errors;
                            } else {
                              var valid2 = true;
                            }
                          }
                        }
                      } else {
                        validate45.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/FederatedSystemEvent/type", keyword: "type", params: { type: "object" } }];
                        return false;
                      }
                    }
                    var valid0 = _errs12 === errors;
                  } else {
                    var valid0 = true;
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate45.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate45.errors = vErrors;
  return errors === 0;
}
validate45.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
function validate44(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate44.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.origin_server === void 0 && (missing0 = "origin_server") || data.messages === void 0 && (missing0 = "messages")) {
        validate44.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.origin_server !== void 0) {
          let data0 = data.origin_server;
          const _errs2 = errors;
          const _errs3 = errors;
          if (errors === _errs3) {
            if (typeof data0 === "string") {
              if (data0.length > 259) {
                validate44.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                return false;
              } else {
                if (data0.length < 1) {
                  validate44.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                  return false;
                } else {
                  if (!pattern36.test(data0)) {
                    validate44.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                    return false;
                  }
                }
              }
            } else {
              validate44.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.messages !== void 0) {
            let data1 = data.messages;
            const _errs5 = errors;
            if (errors === _errs5) {
              if (Array.isArray(data1)) {
                if (data1.length > 100) {
                  validate44.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/maxItems", keyword: "maxItems", params: { limit: 100 } }];
                  return false;
                } else {
                  if (data1.length < 1) {
                    validate44.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/minItems", keyword: "minItems", params: { limit: 1 } }];
                    return false;
                  } else {
                    var valid2 = true;
                    const len0 = data1.length;
                    for (let i0 = 0; i0 < len0; i0++) {
                      const _errs7 = errors;
                      if (!validate45(data1[i0], { instancePath: instancePath + "/messages/" + i0, parentData: data1, parentDataProperty: i0, rootData, dynamicAnchors })) {
                        vErrors = vErrors === null ? validate45.errors : vErrors.concat(validate45.errors);
                        errors = vErrors.length;
                      }
                      var valid2 = _errs7 === errors;
                      if (!valid2) {
                        break;
                      }
                    }
                  }
                }
              } else {
                validate44.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/type", keyword: "type", params: { type: "array" } }];
                return false;
              }
            }
            var valid0 = _errs5 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate44.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate44.errors = vErrors;
  return errors === 0;
}
validate44.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsForwardSpamReportRequest = validate47;
var pattern55 = func0("^[0-9a-f]{64}$", "u");
var pattern59 = func0("^[A-Za-z0-9+/]{22}==$", "u");
function validate47(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate47.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.origin_server === void 0 && (missing0 = "origin_server") || data.reporter === void 0 && (missing0 = "reporter") || data.message_id === void 0 && (missing0 = "message_id") || data.sender_id === void 0 && (missing0 = "sender_id") || data.recipient_address === void 0 && (missing0 = "recipient_address") || data.reason === void 0 && (missing0 = "reason")) {
        validate47.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.origin_server !== void 0) {
          let data0 = data.origin_server;
          const _errs2 = errors;
          const _errs3 = errors;
          if (errors === _errs3) {
            if (typeof data0 === "string") {
              if (data0.length > 259) {
                validate47.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                return false;
              } else {
                if (data0.length < 1) {
                  validate47.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                  return false;
                } else {
                  if (!pattern36.test(data0)) {
                    validate47.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                    return false;
                  }
                }
              }
            } else {
              validate47.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.reporter !== void 0) {
            let data1 = data.reporter;
            const _errs5 = errors;
            if (errors === _errs5) {
              if (typeof data1 === "string") {
                if (!pattern55.test(data1)) {
                  validate47.errors = [{ instancePath: instancePath + "/reporter", schemaPath: "#/properties/reporter/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{64}$" } }];
                  return false;
                }
              } else {
                validate47.errors = [{ instancePath: instancePath + "/reporter", schemaPath: "#/properties/reporter/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs5 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.message_id !== void 0) {
              let data2 = data.message_id;
              const _errs7 = errors;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (typeof data2 === "string") {
                  if (!pattern22.test(data2)) {
                    validate47.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$" } }];
                    return false;
                  }
                } else {
                  validate47.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs7 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.sender_id !== void 0) {
                let data3 = data.sender_id;
                const _errs10 = errors;
                const _errs11 = errors;
                if (errors === _errs11) {
                  if (typeof data3 === "string") {
                    if (!pattern4.test(data3)) {
                      validate47.errors = [{ instancePath: instancePath + "/sender_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                      return false;
                    }
                  } else {
                    validate47.errors = [{ instancePath: instancePath + "/sender_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs10 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.recipient_address !== void 0) {
                  let data4 = data.recipient_address;
                  const _errs13 = errors;
                  const _errs14 = errors;
                  if (errors === _errs14) {
                    if (typeof data4 === "string") {
                      if (data4.length > 296) {
                        validate47.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/maxLength", keyword: "maxLength", params: { limit: 296 } }];
                        return false;
                      } else {
                        if (data4.length < 34) {
                          validate47.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/minLength", keyword: "minLength", params: { limit: 34 } }];
                          return false;
                        } else {
                          if (!pattern23.test(data4)) {
                            validate47.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate47.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "contract#/definitions/Address/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                  var valid0 = _errs13 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.report_handle !== void 0) {
                    let data5 = data.report_handle;
                    const _errs16 = errors;
                    const _errs17 = errors;
                    if (errors === _errs17) {
                      if (typeof data5 === "string") {
                        if (!pattern59.test(data5)) {
                          validate47.errors = [{ instancePath: instancePath + "/report_handle", schemaPath: "contract#/definitions/ReportHandle/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]{22}==$" } }];
                          return false;
                        }
                      } else {
                        validate47.errors = [{ instancePath: instancePath + "/report_handle", schemaPath: "contract#/definitions/ReportHandle/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                    var valid0 = _errs16 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.reason !== void 0) {
                      let data6 = data.reason;
                      const _errs19 = errors;
                      const _errs20 = errors;
                      if (errors === _errs20) {
                        if (typeof data6 === "string") {
                          if (data6.length > 200) {
                            validate47.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/SpamReason/maxLength", keyword: "maxLength", params: { limit: 200 } }];
                            return false;
                          } else {
                            if (data6.length < 1) {
                              validate47.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/SpamReason/minLength", keyword: "minLength", params: { limit: 1 } }];
                              return false;
                            }
                          }
                        } else {
                          validate47.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/SpamReason/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                      var valid0 = _errs19 === errors;
                    } else {
                      var valid0 = true;
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate47.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate47.errors = vErrors;
  return errors === 0;
}
validate47.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsDeliverTransactionRequest = validate48;
var pattern61 = func0("^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?4[0-9a-fA-F]{3}-?[89abAB][0-9a-fA-F]{3}-?[0-9a-fA-F]{12}$", "u");
var schema119 = { "type": "object", "additionalProperties": true, "x-open-because": "A newer peer may send more, which is ignored.", "properties": { "message_id": { "type": ["string", "null"], "maxLength": 1e3 }, "recipient_address": { "type": ["string", "null"], "maxLength": 1e3 }, "mls_ciphertext": { "type": ["string", "null"], "x-open-because": "The limit of the body bounds it." }, "ciphertext_from": { "type": "integer", "format": "int64", "minimum": 0, "maximum": 999 }, "ciphertext_bytes": { "type": "integer", "format": "int64", "minimum": 0, "maximum": 1073741824 }, "sender_signature": { "type": ["string", "null"], "maxLength": 1e3 }, "timestamp": { "type": ["integer", "null"], "format": "int64", "minimum": -9007199254740991, "maximum": 9007199254740991 }, "system_event": { "$ref": "contract#/definitions/FederatedSystemEvent" }, "expires_in_seconds": { "type": "integer", "format": "int64", "minimum": -9007199254740991, "maximum": 9007199254740991 }, "dedup_tag": { "type": "string", "minLength": 16, "maxLength": 128, "pattern": "^[0-9A-Za-z_-]+$" } } };
var pattern62 = func0("^[0-9A-Za-z_-]+$", "u");
function validate49(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate49.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      if (data.message_id !== void 0) {
        let data0 = data.message_id;
        const _errs2 = errors;
        if (typeof data0 !== "string" && data0 !== null) {
          validate49.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/type", keyword: "type", params: { type: schema119.properties.message_id.type } }];
          return false;
        }
        if (errors === _errs2) {
          if (typeof data0 === "string") {
            if (data0.length > 1e3) {
              validate49.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "#/properties/message_id/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
              return false;
            }
          }
        }
        var valid0 = _errs2 === errors;
      } else {
        var valid0 = true;
      }
      if (valid0) {
        if (data.recipient_address !== void 0) {
          let data1 = data.recipient_address;
          const _errs4 = errors;
          if (typeof data1 !== "string" && data1 !== null) {
            validate49.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/type", keyword: "type", params: { type: schema119.properties.recipient_address.type } }];
            return false;
          }
          if (errors === _errs4) {
            if (typeof data1 === "string") {
              if (data1.length > 1e3) {
                validate49.errors = [{ instancePath: instancePath + "/recipient_address", schemaPath: "#/properties/recipient_address/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                return false;
              }
            }
          }
          var valid0 = _errs4 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.mls_ciphertext !== void 0) {
            let data2 = data.mls_ciphertext;
            const _errs6 = errors;
            if (typeof data2 !== "string" && data2 !== null) {
              validate49.errors = [{ instancePath: instancePath + "/mls_ciphertext", schemaPath: "#/properties/mls_ciphertext/type", keyword: "type", params: { type: schema119.properties.mls_ciphertext.type } }];
              return false;
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.ciphertext_from !== void 0) {
              let data3 = data.ciphertext_from;
              const _errs8 = errors;
              if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                validate49.errors = [{ instancePath: instancePath + "/ciphertext_from", schemaPath: "#/properties/ciphertext_from/type", keyword: "type", params: { type: "integer" } }];
                return false;
              }
              if (errors === _errs8) {
                if (typeof data3 == "number") {
                  if (data3 > 999 || isNaN(data3)) {
                    validate49.errors = [{ instancePath: instancePath + "/ciphertext_from", schemaPath: "#/properties/ciphertext_from/maximum", keyword: "maximum", params: { comparison: "<=", limit: 999 } }];
                    return false;
                  } else {
                    if (data3 < 0 || isNaN(data3)) {
                      validate49.errors = [{ instancePath: instancePath + "/ciphertext_from", schemaPath: "#/properties/ciphertext_from/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                      return false;
                    }
                  }
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.ciphertext_bytes !== void 0) {
                let data4 = data.ciphertext_bytes;
                const _errs10 = errors;
                if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                  validate49.errors = [{ instancePath: instancePath + "/ciphertext_bytes", schemaPath: "#/properties/ciphertext_bytes/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs10) {
                  if (typeof data4 == "number") {
                    if (data4 > 1073741824 || isNaN(data4)) {
                      validate49.errors = [{ instancePath: instancePath + "/ciphertext_bytes", schemaPath: "#/properties/ciphertext_bytes/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1073741824 } }];
                      return false;
                    } else {
                      if (data4 < 0 || isNaN(data4)) {
                        validate49.errors = [{ instancePath: instancePath + "/ciphertext_bytes", schemaPath: "#/properties/ciphertext_bytes/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs10 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.sender_signature !== void 0) {
                  let data5 = data.sender_signature;
                  const _errs12 = errors;
                  if (typeof data5 !== "string" && data5 !== null) {
                    validate49.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/type", keyword: "type", params: { type: schema119.properties.sender_signature.type } }];
                    return false;
                  }
                  if (errors === _errs12) {
                    if (typeof data5 === "string") {
                      if (data5.length > 1e3) {
                        validate49.errors = [{ instancePath: instancePath + "/sender_signature", schemaPath: "#/properties/sender_signature/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                        return false;
                      }
                    }
                  }
                  var valid0 = _errs12 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.timestamp !== void 0) {
                    let data6 = data.timestamp;
                    const _errs14 = errors;
                    if (!(typeof data6 == "number" && (!(data6 % 1) && !isNaN(data6))) && data6 !== null) {
                      validate49.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/type", keyword: "type", params: { type: schema119.properties.timestamp.type } }];
                      return false;
                    }
                    if (errors === _errs14) {
                      if (typeof data6 == "number") {
                        if (data6 > 9007199254740991 || isNaN(data6)) {
                          validate49.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } }];
                          return false;
                        } else {
                          if (data6 < -9007199254740991 || isNaN(data6)) {
                            validate49.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 } }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid0 = _errs14 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.system_event !== void 0) {
                      let data7 = data.system_event;
                      const _errs16 = errors;
                      const _errs17 = errors;
                      if (errors === _errs17) {
                        if (data7 && typeof data7 == "object" && !Array.isArray(data7)) {
                          let missing0;
                          if (data7.event === void 0 && (missing0 = "event")) {
                            validate49.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/FederatedSystemEvent/required", keyword: "required", params: { missingProperty: missing0 } }];
                            return false;
                          } else {
                            if (data7.event !== void 0) {
                              let data8 = data7.event;
                              const _errs20 = errors;
                              if (errors === _errs20) {
                                if (typeof data8 === "string") {
                                  if (data8.length > 1e3) {
                                    validate49.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/event/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                                    return false;
                                  }
                                } else {
                                  validate49.errors = [{ instancePath: instancePath + "/system_event/event", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/event/type", keyword: "type", params: { type: "string" } }];
                                  return false;
                                }
                              }
                              var valid2 = _errs20 === errors;
                            } else {
                              var valid2 = true;
                            }
                            if (valid2) {
                              if (data7.extension_type !== void 0) {
                                let data9 = data7.extension_type;
                                const _errs22 = errors;
                                if (typeof data9 !== "string" && data9 !== null) {
                                  validate49.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/extension_type/type", keyword: "type", params: { type: schema108.properties.extension_type.type } }];
                                  return false;
                                }
                                if (errors === _errs22) {
                                  if (typeof data9 === "string") {
                                    if (data9.length > 1e3) {
                                      validate49.errors = [{ instancePath: instancePath + "/system_event/extension_type", schemaPath: "contract#/definitions/FederatedSystemEvent/properties/extension_type/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                                      return false;
                                    }
                                  }
                                }
                                var valid2 = _errs22 === errors;
                              } else {
                                var valid2 = true;
                              }
                            }
                          }
                        } else {
                          validate49.errors = [{ instancePath: instancePath + "/system_event", schemaPath: "contract#/definitions/FederatedSystemEvent/type", keyword: "type", params: { type: "object" } }];
                          return false;
                        }
                      }
                      var valid0 = _errs16 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.expires_in_seconds !== void 0) {
                        let data10 = data.expires_in_seconds;
                        const _errs24 = errors;
                        if (!(typeof data10 == "number" && (!(data10 % 1) && !isNaN(data10)))) {
                          validate49.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "#/properties/expires_in_seconds/type", keyword: "type", params: { type: "integer" } }];
                          return false;
                        }
                        if (errors === _errs24) {
                          if (typeof data10 == "number") {
                            if (data10 > 9007199254740991 || isNaN(data10)) {
                              validate49.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "#/properties/expires_in_seconds/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } }];
                              return false;
                            } else {
                              if (data10 < -9007199254740991 || isNaN(data10)) {
                                validate49.errors = [{ instancePath: instancePath + "/expires_in_seconds", schemaPath: "#/properties/expires_in_seconds/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 } }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid0 = _errs24 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.dedup_tag !== void 0) {
                          let data11 = data.dedup_tag;
                          const _errs26 = errors;
                          if (errors === _errs26) {
                            if (typeof data11 === "string") {
                              if (data11.length > 128) {
                                validate49.errors = [{ instancePath: instancePath + "/dedup_tag", schemaPath: "#/properties/dedup_tag/maxLength", keyword: "maxLength", params: { limit: 128 } }];
                                return false;
                              } else {
                                if (data11.length < 16) {
                                  validate49.errors = [{ instancePath: instancePath + "/dedup_tag", schemaPath: "#/properties/dedup_tag/minLength", keyword: "minLength", params: { limit: 16 } }];
                                  return false;
                                } else {
                                  if (!pattern62.test(data11)) {
                                    validate49.errors = [{ instancePath: instancePath + "/dedup_tag", schemaPath: "#/properties/dedup_tag/pattern", keyword: "pattern", params: { pattern: "^[0-9A-Za-z_-]+$" } }];
                                    return false;
                                  }
                                }
                              }
                            } else {
                              validate49.errors = [{ instancePath: instancePath + "/dedup_tag", schemaPath: "#/properties/dedup_tag/type", keyword: "type", params: { type: "string" } }];
                              return false;
                            }
                          }
                          var valid0 = _errs26 === errors;
                        } else {
                          var valid0 = true;
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate49.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate49.errors = vErrors;
  return errors === 0;
}
validate49.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
function validate48(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate48.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.origin_server === void 0 && (missing0 = "origin_server") || data.transaction_id === void 0 && (missing0 = "transaction_id") || data.timestamp === void 0 && (missing0 = "timestamp") || data.messages === void 0 && (missing0 = "messages")) {
        validate48.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.origin_server !== void 0) {
          let data0 = data.origin_server;
          const _errs2 = errors;
          const _errs3 = errors;
          if (errors === _errs3) {
            if (typeof data0 === "string") {
              if (data0.length > 259) {
                validate48.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                return false;
              } else {
                if (data0.length < 1) {
                  validate48.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                  return false;
                } else {
                  if (!pattern36.test(data0)) {
                    validate48.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                    return false;
                  }
                }
              }
            } else {
              validate48.errors = [{ instancePath: instancePath + "/origin_server", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.transaction_id !== void 0) {
            let data1 = data.transaction_id;
            const _errs5 = errors;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (typeof data1 === "string") {
                if (!pattern61.test(data1)) {
                  validate48.errors = [{ instancePath: instancePath + "/transaction_id", schemaPath: "contract#/definitions/TransactionId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?4[0-9a-fA-F]{3}-?[89abAB][0-9a-fA-F]{3}-?[0-9a-fA-F]{12}$" } }];
                  return false;
                }
              } else {
                validate48.errors = [{ instancePath: instancePath + "/transaction_id", schemaPath: "contract#/definitions/TransactionId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs5 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.timestamp !== void 0) {
              let data2 = data.timestamp;
              const _errs8 = errors;
              if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                validate48.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/type", keyword: "type", params: { type: "integer" } }];
                return false;
              }
              if (errors === _errs8) {
                if (typeof data2 == "number") {
                  if (data2 > 9007199254740991 || isNaN(data2)) {
                    validate48.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } }];
                    return false;
                  } else {
                    if (data2 < -9007199254740991 || isNaN(data2)) {
                      validate48.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "#/properties/timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: -9007199254740991 } }];
                      return false;
                    }
                  }
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.messages !== void 0) {
                let data3 = data.messages;
                const _errs10 = errors;
                if (errors === _errs10) {
                  if (Array.isArray(data3)) {
                    if (data3.length > 1e3) {
                      validate48.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/maxItems", keyword: "maxItems", params: { limit: 1e3 } }];
                      return false;
                    } else {
                      if (data3.length < 1) {
                        validate48.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/minItems", keyword: "minItems", params: { limit: 1 } }];
                        return false;
                      } else {
                        var valid3 = true;
                        const len0 = data3.length;
                        for (let i0 = 0; i0 < len0; i0++) {
                          const _errs12 = errors;
                          if (!validate49(data3[i0], { instancePath: instancePath + "/messages/" + i0, parentData: data3, parentDataProperty: i0, rootData, dynamicAnchors })) {
                            vErrors = vErrors === null ? validate49.errors : vErrors.concat(validate49.errors);
                            errors = vErrors.length;
                          }
                          var valid3 = _errs12 === errors;
                          if (!valid3) {
                            break;
                          }
                        }
                      }
                    }
                  } else {
                    validate48.errors = [{ instancePath: instancePath + "/messages", schemaPath: "#/properties/messages/type", keyword: "type", params: { type: "array" } }];
                    return false;
                  }
                }
                var valid0 = _errs10 === errors;
              } else {
                var valid0 = true;
              }
            }
          }
        }
      }
    } else {
      validate48.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate48.errors = vErrors;
  return errors === 0;
}
validate48.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsAdminLoginRequest = validate51;
function validate51(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate51.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.device_id === void 0 && (missing0 = "device_id") || data.challenge === void 0 && (missing0 = "challenge") || data.challenge_signature === void 0 && (missing0 = "challenge_signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate51.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "device_id" || key0 === "challenge" || key0 === "challenge_signature" || key0 === "timestamp" || key0 === "audience")) {
            validate51.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.device_id !== void 0) {
            let data0 = data.device_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate51.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate51.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.challenge !== void 0) {
              let data1 = data.challenge;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (typeof data1 === "string") {
                  if (!pattern4.test(data1)) {
                    validate51.errors = [{ instancePath: instancePath + "/challenge", schemaPath: "contract#/definitions/Challenge/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                    return false;
                  }
                } else {
                  validate51.errors = [{ instancePath: instancePath + "/challenge", schemaPath: "contract#/definitions/Challenge/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.challenge_signature !== void 0) {
                let data2 = data.challenge_signature;
                const _errs8 = errors;
                const _errs9 = errors;
                if (errors === _errs9) {
                  if (typeof data2 === "string") {
                    if (!pattern7.test(data2)) {
                      validate51.errors = [{ instancePath: instancePath + "/challenge_signature", schemaPath: "contract#/definitions/Signature/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{128}$" } }];
                      return false;
                    }
                  } else {
                    validate51.errors = [{ instancePath: instancePath + "/challenge_signature", schemaPath: "contract#/definitions/Signature/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.timestamp !== void 0) {
                  let data3 = data.timestamp;
                  const _errs11 = errors;
                  const _errs12 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                    validate51.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs12) {
                    if (typeof data3 == "number") {
                      if (data3 > 253402300799 || isNaN(data3)) {
                        validate51.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate51.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs11 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.audience !== void 0) {
                    let data4 = data.audience;
                    const _errs14 = errors;
                    const _errs15 = errors;
                    if (errors === _errs15) {
                      if (typeof data4 === "string") {
                        if (data4.length > 259) {
                          validate51.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                          return false;
                        } else {
                          if (data4.length < 1) {
                            validate51.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/minLength", keyword: "minLength", params: { limit: 1 } }];
                            return false;
                          }
                        }
                      } else {
                        validate51.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                    var valid0 = _errs14 === errors;
                  } else {
                    var valid0 = true;
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate51.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate51.errors = vErrors;
  return errors === 0;
}
validate51.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsLinkLoginRequest = validate52;
var pattern66 = func0("^[A-Za-z0-9_-]{43}$", "u");
function validate52(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate52.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.code === void 0 && (missing0 = "code")) {
        validate52.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "code")) {
            validate52.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.code !== void 0) {
            let data0 = data.code;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 === "string") {
                if (!pattern66.test(data0)) {
                  validate52.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9_-]{43}$" } }];
                  return false;
                }
              } else {
                validate52.errors = [{ instancePath: instancePath + "/code", schemaPath: "#/properties/code/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate52.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate52.errors = vErrors;
  return errors === 0;
}
validate52.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsUpdateConfigRequest = validate53;
var schema129 = { "type": "object", "additionalProperties": false, "x-error": "INVALID_CONFIG", "properties": { "server_name": { "type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$", "x-error": "INVALID_CONFIG" }, "protocol_version": { "type": "string", "enum": ["1.0"], "x-error": "INVALID_CONFIG" }, "max_message_size": { "type": "integer", "format": "int64", "minimum": 1024, "maximum": 20971520, "x-error": "INVALID_CONFIG" }, "max_retention_days": { "type": "integer", "format": "int64", "minimum": 1, "maximum": 365, "x-error": "INVALID_CONFIG" } } };
var schema130 = { "type": "object", "additionalProperties": false, "x-error": "INVALID_CONFIG", "properties": { "enabled": { "type": "boolean", "x-error": "INVALID_CONFIG" }, "mode": { "type": "string", "enum": ["open", "invite_only", "federation_allowlist"], "x-error": "INVALID_CONFIG" }, "require_proof_of_work": { "type": "boolean", "x-error": "INVALID_CONFIG" }, "proof_of_work_difficulty": { "type": "integer", "format": "int64", "minimum": 1, "maximum": 8e7, "x-error": "INVALID_CONFIG" }, "allow_time_delay": { "type": "boolean", "x-error": "INVALID_CONFIG" }, "time_delay_seconds": { "type": "integer", "format": "int64", "minimum": 1, "maximum": 240, "x-error": "INVALID_CONFIG" }, "accept_invites": { "type": "boolean", "x-error": "INVALID_CONFIG" } } };
var pattern67 = func0("^[^\\u0000-\\u001f\\u007f-\\u009f]*$", "u");
function validate53(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate53.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      const _errs1 = errors;
      for (const key0 in data) {
        if (!(key0 === "server" || key0 === "registration" || key0 === "progressive_trust" || key0 === "federation" || key0 === "rate_limiting" || key0 === "storage")) {
          validate53.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
          return false;
          break;
        }
      }
      if (_errs1 === errors) {
        if (data.server !== void 0) {
          let data0 = data.server;
          const _errs2 = errors;
          const _errs3 = errors;
          if (errors === _errs3) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              const _errs5 = errors;
              for (const key1 in data0) {
                if (!(key1 === "server_name" || key1 === "protocol_version" || key1 === "max_message_size" || key1 === "max_retention_days")) {
                  validate53.errors = [{ instancePath: instancePath + "/server", schemaPath: "contract#/definitions/ServerSettingsChange/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key1 } }];
                  return false;
                  break;
                }
              }
              if (_errs5 === errors) {
                if (data0.server_name !== void 0) {
                  let data1 = data0.server_name;
                  const _errs6 = errors;
                  if (errors === _errs6) {
                    if (typeof data1 === "string") {
                      if (data1.length > 100) {
                        validate53.errors = [{ instancePath: instancePath + "/server/server_name", schemaPath: "contract#/definitions/ServerSettingsChange/properties/server_name/maxLength", keyword: "maxLength", params: { limit: 100 } }];
                        return false;
                      } else {
                        if (data1.length < 1) {
                          validate53.errors = [{ instancePath: instancePath + "/server/server_name", schemaPath: "contract#/definitions/ServerSettingsChange/properties/server_name/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        } else {
                          if (!pattern67.test(data1)) {
                            validate53.errors = [{ instancePath: instancePath + "/server/server_name", schemaPath: "contract#/definitions/ServerSettingsChange/properties/server_name/pattern", keyword: "pattern", params: { pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate53.errors = [{ instancePath: instancePath + "/server/server_name", schemaPath: "contract#/definitions/ServerSettingsChange/properties/server_name/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                  var valid2 = _errs6 === errors;
                } else {
                  var valid2 = true;
                }
                if (valid2) {
                  if (data0.protocol_version !== void 0) {
                    let data2 = data0.protocol_version;
                    const _errs8 = errors;
                    if (typeof data2 !== "string") {
                      validate53.errors = [{ instancePath: instancePath + "/server/protocol_version", schemaPath: "contract#/definitions/ServerSettingsChange/properties/protocol_version/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                    if (!(data2 === "1.0")) {
                      validate53.errors = [{ instancePath: instancePath + "/server/protocol_version", schemaPath: "contract#/definitions/ServerSettingsChange/properties/protocol_version/enum", keyword: "enum", params: { allowedValues: schema129.properties.protocol_version.enum } }];
                      return false;
                    }
                    var valid2 = _errs8 === errors;
                  } else {
                    var valid2 = true;
                  }
                  if (valid2) {
                    if (data0.max_message_size !== void 0) {
                      let data3 = data0.max_message_size;
                      const _errs10 = errors;
                      if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                        validate53.errors = [{ instancePath: instancePath + "/server/max_message_size", schemaPath: "contract#/definitions/ServerSettingsChange/properties/max_message_size/type", keyword: "type", params: { type: "integer" } }];
                        return false;
                      }
                      if (errors === _errs10) {
                        if (typeof data3 == "number") {
                          if (data3 > 20971520 || isNaN(data3)) {
                            validate53.errors = [{ instancePath: instancePath + "/server/max_message_size", schemaPath: "contract#/definitions/ServerSettingsChange/properties/max_message_size/maximum", keyword: "maximum", params: { comparison: "<=", limit: 20971520 } }];
                            return false;
                          } else {
                            if (data3 < 1024 || isNaN(data3)) {
                              validate53.errors = [{ instancePath: instancePath + "/server/max_message_size", schemaPath: "contract#/definitions/ServerSettingsChange/properties/max_message_size/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1024 } }];
                              return false;
                            }
                          }
                        }
                      }
                      var valid2 = _errs10 === errors;
                    } else {
                      var valid2 = true;
                    }
                    if (valid2) {
                      if (data0.max_retention_days !== void 0) {
                        let data4 = data0.max_retention_days;
                        const _errs12 = errors;
                        if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                          validate53.errors = [{ instancePath: instancePath + "/server/max_retention_days", schemaPath: "contract#/definitions/ServerSettingsChange/properties/max_retention_days/type", keyword: "type", params: { type: "integer" } }];
                          return false;
                        }
                        if (errors === _errs12) {
                          if (typeof data4 == "number") {
                            if (data4 > 365 || isNaN(data4)) {
                              validate53.errors = [{ instancePath: instancePath + "/server/max_retention_days", schemaPath: "contract#/definitions/ServerSettingsChange/properties/max_retention_days/maximum", keyword: "maximum", params: { comparison: "<=", limit: 365 } }];
                              return false;
                            } else {
                              if (data4 < 1 || isNaN(data4)) {
                                validate53.errors = [{ instancePath: instancePath + "/server/max_retention_days", schemaPath: "contract#/definitions/ServerSettingsChange/properties/max_retention_days/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid2 = _errs12 === errors;
                      } else {
                        var valid2 = true;
                      }
                    }
                  }
                }
              }
            } else {
              validate53.errors = [{ instancePath: instancePath + "/server", schemaPath: "contract#/definitions/ServerSettingsChange/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs2 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.registration !== void 0) {
            let data5 = data.registration;
            const _errs14 = errors;
            const _errs15 = errors;
            if (errors === _errs15) {
              if (data5 && typeof data5 == "object" && !Array.isArray(data5)) {
                const _errs17 = errors;
                for (const key2 in data5) {
                  if (!(key2 === "enabled" || key2 === "mode" || key2 === "require_proof_of_work" || key2 === "proof_of_work_difficulty" || key2 === "allow_time_delay" || key2 === "time_delay_seconds" || key2 === "accept_invites")) {
                    validate53.errors = [{ instancePath: instancePath + "/registration", schemaPath: "contract#/definitions/RegistrationSettingsChange/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key2 } }];
                    return false;
                    break;
                  }
                }
                if (_errs17 === errors) {
                  if (data5.enabled !== void 0) {
                    const _errs18 = errors;
                    if (typeof data5.enabled !== "boolean") {
                      validate53.errors = [{ instancePath: instancePath + "/registration/enabled", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/enabled/type", keyword: "type", params: { type: "boolean" } }];
                      return false;
                    }
                    var valid4 = _errs18 === errors;
                  } else {
                    var valid4 = true;
                  }
                  if (valid4) {
                    if (data5.mode !== void 0) {
                      let data7 = data5.mode;
                      const _errs20 = errors;
                      if (typeof data7 !== "string") {
                        validate53.errors = [{ instancePath: instancePath + "/registration/mode", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/mode/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                      if (!(data7 === "open" || data7 === "invite_only" || data7 === "federation_allowlist")) {
                        validate53.errors = [{ instancePath: instancePath + "/registration/mode", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/mode/enum", keyword: "enum", params: { allowedValues: schema130.properties.mode.enum } }];
                        return false;
                      }
                      var valid4 = _errs20 === errors;
                    } else {
                      var valid4 = true;
                    }
                    if (valid4) {
                      if (data5.require_proof_of_work !== void 0) {
                        const _errs22 = errors;
                        if (typeof data5.require_proof_of_work !== "boolean") {
                          validate53.errors = [{ instancePath: instancePath + "/registration/require_proof_of_work", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/require_proof_of_work/type", keyword: "type", params: { type: "boolean" } }];
                          return false;
                        }
                        var valid4 = _errs22 === errors;
                      } else {
                        var valid4 = true;
                      }
                      if (valid4) {
                        if (data5.proof_of_work_difficulty !== void 0) {
                          let data9 = data5.proof_of_work_difficulty;
                          const _errs24 = errors;
                          if (!(typeof data9 == "number" && (!(data9 % 1) && !isNaN(data9)))) {
                            validate53.errors = [{ instancePath: instancePath + "/registration/proof_of_work_difficulty", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/proof_of_work_difficulty/type", keyword: "type", params: { type: "integer" } }];
                            return false;
                          }
                          if (errors === _errs24) {
                            if (typeof data9 == "number") {
                              if (data9 > 8e7 || isNaN(data9)) {
                                validate53.errors = [{ instancePath: instancePath + "/registration/proof_of_work_difficulty", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/proof_of_work_difficulty/maximum", keyword: "maximum", params: { comparison: "<=", limit: 8e7 } }];
                                return false;
                              } else {
                                if (data9 < 1 || isNaN(data9)) {
                                  validate53.errors = [{ instancePath: instancePath + "/registration/proof_of_work_difficulty", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/proof_of_work_difficulty/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                  return false;
                                }
                              }
                            }
                          }
                          var valid4 = _errs24 === errors;
                        } else {
                          var valid4 = true;
                        }
                        if (valid4) {
                          if (data5.allow_time_delay !== void 0) {
                            const _errs26 = errors;
                            if (typeof data5.allow_time_delay !== "boolean") {
                              validate53.errors = [{ instancePath: instancePath + "/registration/allow_time_delay", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/allow_time_delay/type", keyword: "type", params: { type: "boolean" } }];
                              return false;
                            }
                            var valid4 = _errs26 === errors;
                          } else {
                            var valid4 = true;
                          }
                          if (valid4) {
                            if (data5.time_delay_seconds !== void 0) {
                              let data11 = data5.time_delay_seconds;
                              const _errs28 = errors;
                              if (!(typeof data11 == "number" && (!(data11 % 1) && !isNaN(data11)))) {
                                validate53.errors = [{ instancePath: instancePath + "/registration/time_delay_seconds", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/time_delay_seconds/type", keyword: "type", params: { type: "integer" } }];
                                return false;
                              }
                              if (errors === _errs28) {
                                if (typeof data11 == "number") {
                                  if (data11 > 240 || isNaN(data11)) {
                                    validate53.errors = [{ instancePath: instancePath + "/registration/time_delay_seconds", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/time_delay_seconds/maximum", keyword: "maximum", params: { comparison: "<=", limit: 240 } }];
                                    return false;
                                  } else {
                                    if (data11 < 1 || isNaN(data11)) {
                                      validate53.errors = [{ instancePath: instancePath + "/registration/time_delay_seconds", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/time_delay_seconds/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                      return false;
                                    }
                                  }
                                }
                              }
                              var valid4 = _errs28 === errors;
                            } else {
                              var valid4 = true;
                            }
                            if (valid4) {
                              if (data5.accept_invites !== void 0) {
                                const _errs30 = errors;
                                if (typeof data5.accept_invites !== "boolean") {
                                  validate53.errors = [{ instancePath: instancePath + "/registration/accept_invites", schemaPath: "contract#/definitions/RegistrationSettingsChange/properties/accept_invites/type", keyword: "type", params: { type: "boolean" } }];
                                  return false;
                                }
                                var valid4 = _errs30 === errors;
                              } else {
                                var valid4 = true;
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              } else {
                validate53.errors = [{ instancePath: instancePath + "/registration", schemaPath: "contract#/definitions/RegistrationSettingsChange/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs14 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.progressive_trust !== void 0) {
              let data13 = data.progressive_trust;
              const _errs32 = errors;
              const _errs33 = errors;
              if (errors === _errs33) {
                if (data13 && typeof data13 == "object" && !Array.isArray(data13)) {
                  const _errs35 = errors;
                  for (const key3 in data13) {
                    if (!(key3 === "enabled" || key3 === "new_tier_duration_hours" || key3 === "established_tier_duration_hours" || key3 === "new_tier_limit" || key3 === "established_tier_limit" || key3 === "trusted_tier_limit" || key3 === "spam_report_block_threshold" || key3 === "spam_score_threshold")) {
                      validate53.errors = [{ instancePath: instancePath + "/progressive_trust", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key3 } }];
                      return false;
                      break;
                    }
                  }
                  if (_errs35 === errors) {
                    if (data13.enabled !== void 0) {
                      const _errs36 = errors;
                      if (typeof data13.enabled !== "boolean") {
                        validate53.errors = [{ instancePath: instancePath + "/progressive_trust/enabled", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/enabled/type", keyword: "type", params: { type: "boolean" } }];
                        return false;
                      }
                      var valid6 = _errs36 === errors;
                    } else {
                      var valid6 = true;
                    }
                    if (valid6) {
                      if (data13.new_tier_duration_hours !== void 0) {
                        let data15 = data13.new_tier_duration_hours;
                        const _errs38 = errors;
                        if (!(typeof data15 == "number" && (!(data15 % 1) && !isNaN(data15)))) {
                          validate53.errors = [{ instancePath: instancePath + "/progressive_trust/new_tier_duration_hours", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/new_tier_duration_hours/type", keyword: "type", params: { type: "integer" } }];
                          return false;
                        }
                        if (errors === _errs38) {
                          if (typeof data15 == "number") {
                            if (data15 > 8760 || isNaN(data15)) {
                              validate53.errors = [{ instancePath: instancePath + "/progressive_trust/new_tier_duration_hours", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/new_tier_duration_hours/maximum", keyword: "maximum", params: { comparison: "<=", limit: 8760 } }];
                              return false;
                            } else {
                              if (data15 < 0 || isNaN(data15)) {
                                validate53.errors = [{ instancePath: instancePath + "/progressive_trust/new_tier_duration_hours", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/new_tier_duration_hours/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid6 = _errs38 === errors;
                      } else {
                        var valid6 = true;
                      }
                      if (valid6) {
                        if (data13.established_tier_duration_hours !== void 0) {
                          let data16 = data13.established_tier_duration_hours;
                          const _errs40 = errors;
                          if (!(typeof data16 == "number" && (!(data16 % 1) && !isNaN(data16)))) {
                            validate53.errors = [{ instancePath: instancePath + "/progressive_trust/established_tier_duration_hours", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/established_tier_duration_hours/type", keyword: "type", params: { type: "integer" } }];
                            return false;
                          }
                          if (errors === _errs40) {
                            if (typeof data16 == "number") {
                              if (data16 > 8760 || isNaN(data16)) {
                                validate53.errors = [{ instancePath: instancePath + "/progressive_trust/established_tier_duration_hours", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/established_tier_duration_hours/maximum", keyword: "maximum", params: { comparison: "<=", limit: 8760 } }];
                                return false;
                              } else {
                                if (data16 < 0 || isNaN(data16)) {
                                  validate53.errors = [{ instancePath: instancePath + "/progressive_trust/established_tier_duration_hours", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/established_tier_duration_hours/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                                  return false;
                                }
                              }
                            }
                          }
                          var valid6 = _errs40 === errors;
                        } else {
                          var valid6 = true;
                        }
                        if (valid6) {
                          if (data13.new_tier_limit !== void 0) {
                            let data17 = data13.new_tier_limit;
                            const _errs42 = errors;
                            if (!(typeof data17 == "number" && (!(data17 % 1) && !isNaN(data17)))) {
                              validate53.errors = [{ instancePath: instancePath + "/progressive_trust/new_tier_limit", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/new_tier_limit/type", keyword: "type", params: { type: "integer" } }];
                              return false;
                            }
                            if (errors === _errs42) {
                              if (typeof data17 == "number") {
                                if (data17 > 1e3 || isNaN(data17)) {
                                  validate53.errors = [{ instancePath: instancePath + "/progressive_trust/new_tier_limit", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/new_tier_limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                                  return false;
                                } else {
                                  if (data17 < 1 || isNaN(data17)) {
                                    validate53.errors = [{ instancePath: instancePath + "/progressive_trust/new_tier_limit", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/new_tier_limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                    return false;
                                  }
                                }
                              }
                            }
                            var valid6 = _errs42 === errors;
                          } else {
                            var valid6 = true;
                          }
                          if (valid6) {
                            if (data13.established_tier_limit !== void 0) {
                              let data18 = data13.established_tier_limit;
                              const _errs44 = errors;
                              if (!(typeof data18 == "number" && (!(data18 % 1) && !isNaN(data18)))) {
                                validate53.errors = [{ instancePath: instancePath + "/progressive_trust/established_tier_limit", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/established_tier_limit/type", keyword: "type", params: { type: "integer" } }];
                                return false;
                              }
                              if (errors === _errs44) {
                                if (typeof data18 == "number") {
                                  if (data18 > 1e6 || isNaN(data18)) {
                                    validate53.errors = [{ instancePath: instancePath + "/progressive_trust/established_tier_limit", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/established_tier_limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                                    return false;
                                  } else {
                                    if (data18 < 1 || isNaN(data18)) {
                                      validate53.errors = [{ instancePath: instancePath + "/progressive_trust/established_tier_limit", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/established_tier_limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                      return false;
                                    }
                                  }
                                }
                              }
                              var valid6 = _errs44 === errors;
                            } else {
                              var valid6 = true;
                            }
                            if (valid6) {
                              if (data13.trusted_tier_limit !== void 0) {
                                let data19 = data13.trusted_tier_limit;
                                const _errs46 = errors;
                                if (!(typeof data19 == "number" && (!(data19 % 1) && !isNaN(data19)))) {
                                  validate53.errors = [{ instancePath: instancePath + "/progressive_trust/trusted_tier_limit", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/trusted_tier_limit/type", keyword: "type", params: { type: "integer" } }];
                                  return false;
                                }
                                if (errors === _errs46) {
                                  if (typeof data19 == "number") {
                                    if (data19 > 1e6 || isNaN(data19)) {
                                      validate53.errors = [{ instancePath: instancePath + "/progressive_trust/trusted_tier_limit", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/trusted_tier_limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                                      return false;
                                    } else {
                                      if (data19 < 1 || isNaN(data19)) {
                                        validate53.errors = [{ instancePath: instancePath + "/progressive_trust/trusted_tier_limit", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/trusted_tier_limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                        return false;
                                      }
                                    }
                                  }
                                }
                                var valid6 = _errs46 === errors;
                              } else {
                                var valid6 = true;
                              }
                              if (valid6) {
                                if (data13.spam_report_block_threshold !== void 0) {
                                  let data20 = data13.spam_report_block_threshold;
                                  const _errs48 = errors;
                                  if (!(typeof data20 == "number" && (!(data20 % 1) && !isNaN(data20)))) {
                                    validate53.errors = [{ instancePath: instancePath + "/progressive_trust/spam_report_block_threshold", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/spam_report_block_threshold/type", keyword: "type", params: { type: "integer" } }];
                                    return false;
                                  }
                                  if (errors === _errs48) {
                                    if (typeof data20 == "number") {
                                      if (data20 > 1e3 || isNaN(data20)) {
                                        validate53.errors = [{ instancePath: instancePath + "/progressive_trust/spam_report_block_threshold", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/spam_report_block_threshold/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                                        return false;
                                      } else {
                                        if (data20 < 1 || isNaN(data20)) {
                                          validate53.errors = [{ instancePath: instancePath + "/progressive_trust/spam_report_block_threshold", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/spam_report_block_threshold/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                          return false;
                                        }
                                      }
                                    }
                                  }
                                  var valid6 = _errs48 === errors;
                                } else {
                                  var valid6 = true;
                                }
                                if (valid6) {
                                  if (data13.spam_score_threshold !== void 0) {
                                    let data21 = data13.spam_score_threshold;
                                    const _errs50 = errors;
                                    if (errors === _errs50) {
                                      if (typeof data21 == "number") {
                                        if (data21 > 1e3 || isNaN(data21)) {
                                          validate53.errors = [{ instancePath: instancePath + "/progressive_trust/spam_score_threshold", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/spam_score_threshold/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                                          return false;
                                        } else {
                                          if (data21 < 0.5 || isNaN(data21)) {
                                            validate53.errors = [{ instancePath: instancePath + "/progressive_trust/spam_score_threshold", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/spam_score_threshold/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0.5 } }];
                                            return false;
                                          }
                                        }
                                      } else {
                                        validate53.errors = [{ instancePath: instancePath + "/progressive_trust/spam_score_threshold", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/properties/spam_score_threshold/type", keyword: "type", params: { type: "number" } }];
                                        return false;
                                      }
                                    }
                                    var valid6 = _errs50 === errors;
                                  } else {
                                    var valid6 = true;
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                } else {
                  validate53.errors = [{ instancePath: instancePath + "/progressive_trust", schemaPath: "contract#/definitions/ProgressiveTrustSettingsChange/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs32 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.federation !== void 0) {
                let data22 = data.federation;
                const _errs52 = errors;
                const _errs53 = errors;
                if (errors === _errs53) {
                  if (data22 && typeof data22 == "object" && !Array.isArray(data22)) {
                    const _errs55 = errors;
                    for (const key4 in data22) {
                      if (!(key4 === "enabled" || key4 === "allowlist_mode" || key4 === "auto_block_threshold" || key4 === "publish_blocklist" || key4 === "certificate_validation")) {
                        validate53.errors = [{ instancePath: instancePath + "/federation", schemaPath: "contract#/definitions/FederationSettingsChange/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key4 } }];
                        return false;
                        break;
                      }
                    }
                    if (_errs55 === errors) {
                      if (data22.enabled !== void 0) {
                        const _errs56 = errors;
                        if (typeof data22.enabled !== "boolean") {
                          validate53.errors = [{ instancePath: instancePath + "/federation/enabled", schemaPath: "contract#/definitions/FederationSettingsChange/properties/enabled/type", keyword: "type", params: { type: "boolean" } }];
                          return false;
                        }
                        var valid8 = _errs56 === errors;
                      } else {
                        var valid8 = true;
                      }
                      if (valid8) {
                        if (data22.allowlist_mode !== void 0) {
                          const _errs58 = errors;
                          if (typeof data22.allowlist_mode !== "boolean") {
                            validate53.errors = [{ instancePath: instancePath + "/federation/allowlist_mode", schemaPath: "contract#/definitions/FederationSettingsChange/properties/allowlist_mode/type", keyword: "type", params: { type: "boolean" } }];
                            return false;
                          }
                          var valid8 = _errs58 === errors;
                        } else {
                          var valid8 = true;
                        }
                        if (valid8) {
                          if (data22.auto_block_threshold !== void 0) {
                            let data25 = data22.auto_block_threshold;
                            const _errs60 = errors;
                            if (errors === _errs60) {
                              if (typeof data25 == "number") {
                                if (data25 > 1 || isNaN(data25)) {
                                  validate53.errors = [{ instancePath: instancePath + "/federation/auto_block_threshold", schemaPath: "contract#/definitions/FederationSettingsChange/properties/auto_block_threshold/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1 } }];
                                  return false;
                                } else {
                                  if (data25 < 0 || isNaN(data25)) {
                                    validate53.errors = [{ instancePath: instancePath + "/federation/auto_block_threshold", schemaPath: "contract#/definitions/FederationSettingsChange/properties/auto_block_threshold/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                                    return false;
                                  }
                                }
                              } else {
                                validate53.errors = [{ instancePath: instancePath + "/federation/auto_block_threshold", schemaPath: "contract#/definitions/FederationSettingsChange/properties/auto_block_threshold/type", keyword: "type", params: { type: "number" } }];
                                return false;
                              }
                            }
                            var valid8 = _errs60 === errors;
                          } else {
                            var valid8 = true;
                          }
                          if (valid8) {
                            if (data22.publish_blocklist !== void 0) {
                              const _errs62 = errors;
                              if (typeof data22.publish_blocklist !== "boolean") {
                                validate53.errors = [{ instancePath: instancePath + "/federation/publish_blocklist", schemaPath: "contract#/definitions/FederationSettingsChange/properties/publish_blocklist/type", keyword: "type", params: { type: "boolean" } }];
                                return false;
                              }
                              var valid8 = _errs62 === errors;
                            } else {
                              var valid8 = true;
                            }
                            if (valid8) {
                              if (data22.certificate_validation !== void 0) {
                                const _errs64 = errors;
                                if (typeof data22.certificate_validation !== "boolean") {
                                  validate53.errors = [{ instancePath: instancePath + "/federation/certificate_validation", schemaPath: "contract#/definitions/FederationSettingsChange/properties/certificate_validation/type", keyword: "type", params: { type: "boolean" } }];
                                  return false;
                                }
                                var valid8 = _errs64 === errors;
                              } else {
                                var valid8 = true;
                              }
                            }
                          }
                        }
                      }
                    }
                  } else {
                    validate53.errors = [{ instancePath: instancePath + "/federation", schemaPath: "contract#/definitions/FederationSettingsChange/type", keyword: "type", params: { type: "object" } }];
                    return false;
                  }
                }
                var valid0 = _errs52 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.rate_limiting !== void 0) {
                  let data28 = data.rate_limiting;
                  const _errs66 = errors;
                  const _errs67 = errors;
                  if (errors === _errs67) {
                    if (data28 && typeof data28 == "object" && !Array.isArray(data28)) {
                      const _errs69 = errors;
                      for (const key5 in data28) {
                        if (!(key5 === "enabled" || key5 === "window_seconds" || key5 === "burst_allowance" || key5 === "recipients_per_message" || key5 === "infopackage_uploads_per_hour" || key5 === "infopackage_uploads_per_day")) {
                          validate53.errors = [{ instancePath: instancePath + "/rate_limiting", schemaPath: "contract#/definitions/RateLimitingSettingsChange/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key5 } }];
                          return false;
                          break;
                        }
                      }
                      if (_errs69 === errors) {
                        if (data28.enabled !== void 0) {
                          const _errs70 = errors;
                          if (typeof data28.enabled !== "boolean") {
                            validate53.errors = [{ instancePath: instancePath + "/rate_limiting/enabled", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/enabled/type", keyword: "type", params: { type: "boolean" } }];
                            return false;
                          }
                          var valid10 = _errs70 === errors;
                        } else {
                          var valid10 = true;
                        }
                        if (valid10) {
                          if (data28.window_seconds !== void 0) {
                            let data30 = data28.window_seconds;
                            const _errs72 = errors;
                            if (!(typeof data30 == "number" && (!(data30 % 1) && !isNaN(data30)))) {
                              validate53.errors = [{ instancePath: instancePath + "/rate_limiting/window_seconds", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/window_seconds/type", keyword: "type", params: { type: "integer" } }];
                              return false;
                            }
                            if (errors === _errs72) {
                              if (typeof data30 == "number") {
                                if (data30 > 86400 || isNaN(data30)) {
                                  validate53.errors = [{ instancePath: instancePath + "/rate_limiting/window_seconds", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/window_seconds/maximum", keyword: "maximum", params: { comparison: "<=", limit: 86400 } }];
                                  return false;
                                } else {
                                  if (data30 < 1 || isNaN(data30)) {
                                    validate53.errors = [{ instancePath: instancePath + "/rate_limiting/window_seconds", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/window_seconds/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                    return false;
                                  }
                                }
                              }
                            }
                            var valid10 = _errs72 === errors;
                          } else {
                            var valid10 = true;
                          }
                          if (valid10) {
                            if (data28.burst_allowance !== void 0) {
                              let data31 = data28.burst_allowance;
                              const _errs74 = errors;
                              if (!(typeof data31 == "number" && (!(data31 % 1) && !isNaN(data31)))) {
                                validate53.errors = [{ instancePath: instancePath + "/rate_limiting/burst_allowance", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/burst_allowance/type", keyword: "type", params: { type: "integer" } }];
                                return false;
                              }
                              if (errors === _errs74) {
                                if (typeof data31 == "number") {
                                  if (data31 > 1e5 || isNaN(data31)) {
                                    validate53.errors = [{ instancePath: instancePath + "/rate_limiting/burst_allowance", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/burst_allowance/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e5 } }];
                                    return false;
                                  } else {
                                    if (data31 < 0 || isNaN(data31)) {
                                      validate53.errors = [{ instancePath: instancePath + "/rate_limiting/burst_allowance", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/burst_allowance/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                                      return false;
                                    }
                                  }
                                }
                              }
                              var valid10 = _errs74 === errors;
                            } else {
                              var valid10 = true;
                            }
                            if (valid10) {
                              if (data28.recipients_per_message !== void 0) {
                                let data32 = data28.recipients_per_message;
                                const _errs76 = errors;
                                if (!(typeof data32 == "number" && (!(data32 % 1) && !isNaN(data32)))) {
                                  validate53.errors = [{ instancePath: instancePath + "/rate_limiting/recipients_per_message", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/recipients_per_message/type", keyword: "type", params: { type: "integer" } }];
                                  return false;
                                }
                                if (errors === _errs76) {
                                  if (typeof data32 == "number") {
                                    if (data32 > 1e3 || isNaN(data32)) {
                                      validate53.errors = [{ instancePath: instancePath + "/rate_limiting/recipients_per_message", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/recipients_per_message/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                                      return false;
                                    } else {
                                      if (data32 < 1 || isNaN(data32)) {
                                        validate53.errors = [{ instancePath: instancePath + "/rate_limiting/recipients_per_message", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/recipients_per_message/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                        return false;
                                      }
                                    }
                                  }
                                }
                                var valid10 = _errs76 === errors;
                              } else {
                                var valid10 = true;
                              }
                              if (valid10) {
                                if (data28.infopackage_uploads_per_hour !== void 0) {
                                  let data33 = data28.infopackage_uploads_per_hour;
                                  const _errs78 = errors;
                                  if (!(typeof data33 == "number" && (!(data33 % 1) && !isNaN(data33)))) {
                                    validate53.errors = [{ instancePath: instancePath + "/rate_limiting/infopackage_uploads_per_hour", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/infopackage_uploads_per_hour/type", keyword: "type", params: { type: "integer" } }];
                                    return false;
                                  }
                                  if (errors === _errs78) {
                                    if (typeof data33 == "number") {
                                      if (data33 > 1e5 || isNaN(data33)) {
                                        validate53.errors = [{ instancePath: instancePath + "/rate_limiting/infopackage_uploads_per_hour", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/infopackage_uploads_per_hour/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e5 } }];
                                        return false;
                                      } else {
                                        if (data33 < 1 || isNaN(data33)) {
                                          validate53.errors = [{ instancePath: instancePath + "/rate_limiting/infopackage_uploads_per_hour", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/infopackage_uploads_per_hour/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                          return false;
                                        }
                                      }
                                    }
                                  }
                                  var valid10 = _errs78 === errors;
                                } else {
                                  var valid10 = true;
                                }
                                if (valid10) {
                                  if (data28.infopackage_uploads_per_day !== void 0) {
                                    let data34 = data28.infopackage_uploads_per_day;
                                    const _errs80 = errors;
                                    if (!(typeof data34 == "number" && (!(data34 % 1) && !isNaN(data34)))) {
                                      validate53.errors = [{ instancePath: instancePath + "/rate_limiting/infopackage_uploads_per_day", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/infopackage_uploads_per_day/type", keyword: "type", params: { type: "integer" } }];
                                      return false;
                                    }
                                    if (errors === _errs80) {
                                      if (typeof data34 == "number") {
                                        if (data34 > 1e6 || isNaN(data34)) {
                                          validate53.errors = [{ instancePath: instancePath + "/rate_limiting/infopackage_uploads_per_day", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/infopackage_uploads_per_day/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                                          return false;
                                        } else {
                                          if (data34 < 1 || isNaN(data34)) {
                                            validate53.errors = [{ instancePath: instancePath + "/rate_limiting/infopackage_uploads_per_day", schemaPath: "contract#/definitions/RateLimitingSettingsChange/properties/infopackage_uploads_per_day/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                            return false;
                                          }
                                        }
                                      }
                                    }
                                    var valid10 = _errs80 === errors;
                                  } else {
                                    var valid10 = true;
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    } else {
                      validate53.errors = [{ instancePath: instancePath + "/rate_limiting", schemaPath: "contract#/definitions/RateLimitingSettingsChange/type", keyword: "type", params: { type: "object" } }];
                      return false;
                    }
                  }
                  var valid0 = _errs66 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.storage !== void 0) {
                    let data35 = data.storage;
                    const _errs82 = errors;
                    const _errs83 = errors;
                    if (errors === _errs83) {
                      if (data35 && typeof data35 == "object" && !Array.isArray(data35)) {
                        const _errs85 = errors;
                        for (const key6 in data35) {
                          if (!(key6 === "message_queue_limit" || key6 === "message_queue_bytes_limit" || key6 === "announcement_retention_hours" || key6 === "metadata_retention_days")) {
                            validate53.errors = [{ instancePath: instancePath + "/storage", schemaPath: "contract#/definitions/StorageSettingsChange/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key6 } }];
                            return false;
                            break;
                          }
                        }
                        if (_errs85 === errors) {
                          if (data35.message_queue_limit !== void 0) {
                            let data36 = data35.message_queue_limit;
                            const _errs86 = errors;
                            if (!(typeof data36 == "number" && (!(data36 % 1) && !isNaN(data36)))) {
                              validate53.errors = [{ instancePath: instancePath + "/storage/message_queue_limit", schemaPath: "contract#/definitions/StorageSettingsChange/properties/message_queue_limit/type", keyword: "type", params: { type: "integer" } }];
                              return false;
                            }
                            if (errors === _errs86) {
                              if (typeof data36 == "number") {
                                if (data36 > 1e6 || isNaN(data36)) {
                                  validate53.errors = [{ instancePath: instancePath + "/storage/message_queue_limit", schemaPath: "contract#/definitions/StorageSettingsChange/properties/message_queue_limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                                  return false;
                                } else {
                                  if (data36 < 1 || isNaN(data36)) {
                                    validate53.errors = [{ instancePath: instancePath + "/storage/message_queue_limit", schemaPath: "contract#/definitions/StorageSettingsChange/properties/message_queue_limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                    return false;
                                  }
                                }
                              }
                            }
                            var valid12 = _errs86 === errors;
                          } else {
                            var valid12 = true;
                          }
                          if (valid12) {
                            if (data35.message_queue_bytes_limit !== void 0) {
                              let data37 = data35.message_queue_bytes_limit;
                              const _errs88 = errors;
                              if (!(typeof data37 == "number" && (!(data37 % 1) && !isNaN(data37)))) {
                                validate53.errors = [{ instancePath: instancePath + "/storage/message_queue_bytes_limit", schemaPath: "contract#/definitions/StorageSettingsChange/properties/message_queue_bytes_limit/type", keyword: "type", params: { type: "integer" } }];
                                return false;
                              }
                              if (errors === _errs88) {
                                if (typeof data37 == "number") {
                                  if (data37 > 1099511627776 || isNaN(data37)) {
                                    validate53.errors = [{ instancePath: instancePath + "/storage/message_queue_bytes_limit", schemaPath: "contract#/definitions/StorageSettingsChange/properties/message_queue_bytes_limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1099511627776 } }];
                                    return false;
                                  } else {
                                    if (data37 < 1048576 || isNaN(data37)) {
                                      validate53.errors = [{ instancePath: instancePath + "/storage/message_queue_bytes_limit", schemaPath: "contract#/definitions/StorageSettingsChange/properties/message_queue_bytes_limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1048576 } }];
                                      return false;
                                    }
                                  }
                                }
                              }
                              var valid12 = _errs88 === errors;
                            } else {
                              var valid12 = true;
                            }
                            if (valid12) {
                              if (data35.announcement_retention_hours !== void 0) {
                                let data38 = data35.announcement_retention_hours;
                                const _errs90 = errors;
                                if (!(typeof data38 == "number" && (!(data38 % 1) && !isNaN(data38)))) {
                                  validate53.errors = [{ instancePath: instancePath + "/storage/announcement_retention_hours", schemaPath: "contract#/definitions/StorageSettingsChange/properties/announcement_retention_hours/type", keyword: "type", params: { type: "integer" } }];
                                  return false;
                                }
                                if (errors === _errs90) {
                                  if (typeof data38 == "number") {
                                    if (data38 > 8760 || isNaN(data38)) {
                                      validate53.errors = [{ instancePath: instancePath + "/storage/announcement_retention_hours", schemaPath: "contract#/definitions/StorageSettingsChange/properties/announcement_retention_hours/maximum", keyword: "maximum", params: { comparison: "<=", limit: 8760 } }];
                                      return false;
                                    } else {
                                      if (data38 < 1 || isNaN(data38)) {
                                        validate53.errors = [{ instancePath: instancePath + "/storage/announcement_retention_hours", schemaPath: "contract#/definitions/StorageSettingsChange/properties/announcement_retention_hours/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                        return false;
                                      }
                                    }
                                  }
                                }
                                var valid12 = _errs90 === errors;
                              } else {
                                var valid12 = true;
                              }
                              if (valid12) {
                                if (data35.metadata_retention_days !== void 0) {
                                  let data39 = data35.metadata_retention_days;
                                  const _errs92 = errors;
                                  if (!(typeof data39 == "number" && (!(data39 % 1) && !isNaN(data39)))) {
                                    validate53.errors = [{ instancePath: instancePath + "/storage/metadata_retention_days", schemaPath: "contract#/definitions/StorageSettingsChange/properties/metadata_retention_days/type", keyword: "type", params: { type: "integer" } }];
                                    return false;
                                  }
                                  if (errors === _errs92) {
                                    if (typeof data39 == "number") {
                                      if (data39 > 3650 || isNaN(data39)) {
                                        validate53.errors = [{ instancePath: instancePath + "/storage/metadata_retention_days", schemaPath: "contract#/definitions/StorageSettingsChange/properties/metadata_retention_days/maximum", keyword: "maximum", params: { comparison: "<=", limit: 3650 } }];
                                        return false;
                                      } else {
                                        if (data39 < 1 || isNaN(data39)) {
                                          validate53.errors = [{ instancePath: instancePath + "/storage/metadata_retention_days", schemaPath: "contract#/definitions/StorageSettingsChange/properties/metadata_retention_days/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                          return false;
                                        }
                                      }
                                    }
                                  }
                                  var valid12 = _errs92 === errors;
                                } else {
                                  var valid12 = true;
                                }
                              }
                            }
                          }
                        }
                      } else {
                        validate53.errors = [{ instancePath: instancePath + "/storage", schemaPath: "contract#/definitions/StorageSettingsChange/type", keyword: "type", params: { type: "object" } }];
                        return false;
                      }
                    }
                    var valid0 = _errs82 === errors;
                  } else {
                    var valid0 = true;
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate53.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate53.errors = vErrors;
  return errors === 0;
}
validate53.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsVerifyDeviceRequest = validate54;
function validate54(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate54.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.device_id === void 0 && (missing0 = "device_id") || data.reason === void 0 && (missing0 = "reason")) {
        validate54.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "device_id" || key0 === "reason")) {
            validate54.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.device_id !== void 0) {
            let data0 = data.device_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate54.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate54.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.reason !== void 0) {
              let data1 = data.reason;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (typeof data1 === "string") {
                  if (data1.length > 500) {
                    validate54.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/maxLength", keyword: "maxLength", params: { limit: 500 } }];
                    return false;
                  } else {
                    if (data1.length < 1) {
                      validate54.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/minLength", keyword: "minLength", params: { limit: 1 } }];
                      return false;
                    }
                  }
                } else {
                  validate54.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate54.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate54.errors = vErrors;
  return errors === 0;
}
validate54.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsVerifyDevicesRequest = validate55;
function validate55(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate55.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.devices === void 0 && (missing0 = "devices")) {
        validate55.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "devices")) {
            validate55.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.devices !== void 0) {
            let data0 = data.devices;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (Array.isArray(data0)) {
                if (data0.length > 1e3) {
                  validate55.errors = [{ instancePath: instancePath + "/devices", schemaPath: "#/properties/devices/maxItems", keyword: "maxItems", params: { limit: 1e3 } }];
                  return false;
                } else {
                  if (data0.length < 1) {
                    validate55.errors = [{ instancePath: instancePath + "/devices", schemaPath: "#/properties/devices/minItems", keyword: "minItems", params: { limit: 1 } }];
                    return false;
                  } else {
                    var valid1 = true;
                    const len0 = data0.length;
                    for (let i0 = 0; i0 < len0; i0++) {
                      const _errs4 = errors;
                      if (!validate54(data0[i0], { instancePath: instancePath + "/devices/" + i0, parentData: data0, parentDataProperty: i0, rootData, dynamicAnchors })) {
                        vErrors = vErrors === null ? validate54.errors : vErrors.concat(validate54.errors);
                        errors = vErrors.length;
                      }
                      var valid1 = _errs4 === errors;
                      if (!valid1) {
                        break;
                      }
                    }
                  }
                }
              } else {
                validate55.errors = [{ instancePath: instancePath + "/devices", schemaPath: "#/properties/devices/type", keyword: "type", params: { type: "array" } }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate55.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate55.errors = vErrors;
  return errors === 0;
}
validate55.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsRevokeVerificationRequest = validate57;
function validate57(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate57.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.device_id === void 0 && (missing0 = "device_id") || data.reason === void 0 && (missing0 = "reason")) {
        validate57.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "device_id" || key0 === "reason")) {
            validate57.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.device_id !== void 0) {
            let data0 = data.device_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate57.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate57.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.reason !== void 0) {
              let data1 = data.reason;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (typeof data1 === "string") {
                  if (data1.length > 500) {
                    validate57.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/maxLength", keyword: "maxLength", params: { limit: 500 } }];
                    return false;
                  } else {
                    if (data1.length < 1) {
                      validate57.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/minLength", keyword: "minLength", params: { limit: 1 } }];
                      return false;
                    }
                  }
                } else {
                  validate57.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate57.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate57.errors = vErrors;
  return errors === 0;
}
validate57.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsSetRateLimitRequest = validate58;
var schema142 = { "type": "object", "additionalProperties": false, "required": ["device_id", "custom_rate_limit", "reason"], "properties": { "device_id": { "$ref": "contract#/definitions/DeviceId" }, "custom_rate_limit": { "type": ["integer", "null"], "format": "int64", "minimum": 0, "maximum": 1e3, "x-error": "INVALID_RATE_LIMIT" }, "reason": { "$ref": "contract#/definitions/Reason" }, "expires_at": { "type": ["integer", "null"], "format": "int64", "minimum": 0, "maximum": 253402300799 } } };
function validate58(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate58.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.device_id === void 0 && (missing0 = "device_id") || data.custom_rate_limit === void 0 && (missing0 = "custom_rate_limit") || data.reason === void 0 && (missing0 = "reason")) {
        validate58.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "device_id" || key0 === "custom_rate_limit" || key0 === "reason" || key0 === "expires_at")) {
            validate58.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.device_id !== void 0) {
            let data0 = data.device_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate58.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate58.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.custom_rate_limit !== void 0) {
              let data1 = data.custom_rate_limit;
              const _errs5 = errors;
              if (!(typeof data1 == "number" && (!(data1 % 1) && !isNaN(data1))) && data1 !== null) {
                validate58.errors = [{ instancePath: instancePath + "/custom_rate_limit", schemaPath: "#/properties/custom_rate_limit/type", keyword: "type", params: { type: schema142.properties.custom_rate_limit.type } }];
                return false;
              }
              if (errors === _errs5) {
                if (typeof data1 == "number") {
                  if (data1 > 1e3 || isNaN(data1)) {
                    validate58.errors = [{ instancePath: instancePath + "/custom_rate_limit", schemaPath: "#/properties/custom_rate_limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                    return false;
                  } else {
                    if (data1 < 0 || isNaN(data1)) {
                      validate58.errors = [{ instancePath: instancePath + "/custom_rate_limit", schemaPath: "#/properties/custom_rate_limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                      return false;
                    }
                  }
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.reason !== void 0) {
                let data2 = data.reason;
                const _errs7 = errors;
                const _errs8 = errors;
                if (errors === _errs8) {
                  if (typeof data2 === "string") {
                    if (data2.length > 500) {
                      validate58.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/maxLength", keyword: "maxLength", params: { limit: 500 } }];
                      return false;
                    } else {
                      if (data2.length < 1) {
                        validate58.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/minLength", keyword: "minLength", params: { limit: 1 } }];
                        return false;
                      }
                    }
                  } else {
                    validate58.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.expires_at !== void 0) {
                  let data3 = data.expires_at;
                  const _errs10 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3))) && data3 !== null) {
                    validate58.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "#/properties/expires_at/type", keyword: "type", params: { type: schema142.properties.expires_at.type } }];
                    return false;
                  }
                  if (errors === _errs10) {
                    if (typeof data3 == "number") {
                      if (data3 > 253402300799 || isNaN(data3)) {
                        validate58.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "#/properties/expires_at/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate58.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "#/properties/expires_at/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs10 === errors;
                } else {
                  var valid0 = true;
                }
              }
            }
          }
        }
      }
    } else {
      validate58.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate58.errors = vErrors;
  return errors === 0;
}
validate58.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsBlockDeviceRequest = validate59;
function validate59(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate59.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.reason === void 0 && (missing0 = "reason")) {
        validate59.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "reason")) {
            validate59.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.reason !== void 0) {
            let data0 = data.reason;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (data0.length > 500) {
                  validate59.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/maxLength", keyword: "maxLength", params: { limit: 500 } }];
                  return false;
                } else {
                  if (data0.length < 1) {
                    validate59.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/minLength", keyword: "minLength", params: { limit: 1 } }];
                    return false;
                  }
                }
              } else {
                validate59.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate59.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate59.errors = vErrors;
  return errors === 0;
}
validate59.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsBlockServerRequest = validate60;
var schema147 = { "type": "object", "additionalProperties": false, "required": ["server_domain", "reason"], "properties": { "server_domain": { "$ref": "contract#/definitions/Domain" }, "reason": { "$ref": "contract#/definitions/Reason" }, "expires_at": { "type": ["integer", "null"], "format": "int64", "minimum": 0, "maximum": 253402300799 }, "reason_category": { "$ref": "contract#/definitions/BlockReasonCategory" }, "severity": { "$ref": "contract#/definitions/BlockSeverity" } } };
var schema150 = { "type": "string", "enum": ["spam", "harassment", "impersonation", "malware", "illegal_content", "other"] };
var schema151 = { "type": "string", "enum": ["low", "medium", "high", "critical"] };
function validate60(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate60.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.server_domain === void 0 && (missing0 = "server_domain") || data.reason === void 0 && (missing0 = "reason")) {
        validate60.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "server_domain" || key0 === "reason" || key0 === "expires_at" || key0 === "reason_category" || key0 === "severity")) {
            validate60.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.server_domain !== void 0) {
            let data0 = data.server_domain;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (data0.length > 259) {
                  validate60.errors = [{ instancePath: instancePath + "/server_domain", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                  return false;
                } else {
                  if (data0.length < 1) {
                    validate60.errors = [{ instancePath: instancePath + "/server_domain", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                    return false;
                  } else {
                    if (!pattern36.test(data0)) {
                      validate60.errors = [{ instancePath: instancePath + "/server_domain", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                      return false;
                    }
                  }
                }
              } else {
                validate60.errors = [{ instancePath: instancePath + "/server_domain", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.reason !== void 0) {
              let data1 = data.reason;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (typeof data1 === "string") {
                  if (data1.length > 500) {
                    validate60.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/maxLength", keyword: "maxLength", params: { limit: 500 } }];
                    return false;
                  } else {
                    if (data1.length < 1) {
                      validate60.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/minLength", keyword: "minLength", params: { limit: 1 } }];
                      return false;
                    }
                  }
                } else {
                  validate60.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/Reason/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.expires_at !== void 0) {
                let data2 = data.expires_at;
                const _errs8 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2))) && data2 !== null) {
                  validate60.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "#/properties/expires_at/type", keyword: "type", params: { type: schema147.properties.expires_at.type } }];
                  return false;
                }
                if (errors === _errs8) {
                  if (typeof data2 == "number") {
                    if (data2 > 253402300799 || isNaN(data2)) {
                      validate60.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "#/properties/expires_at/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                      return false;
                    } else {
                      if (data2 < 0 || isNaN(data2)) {
                        validate60.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "#/properties/expires_at/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.reason_category !== void 0) {
                  let data3 = data.reason_category;
                  const _errs10 = errors;
                  if (typeof data3 !== "string") {
                    validate60.errors = [{ instancePath: instancePath + "/reason_category", schemaPath: "contract#/definitions/BlockReasonCategory/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                  if (!(data3 === "spam" || data3 === "harassment" || data3 === "impersonation" || data3 === "malware" || data3 === "illegal_content" || data3 === "other")) {
                    validate60.errors = [{ instancePath: instancePath + "/reason_category", schemaPath: "contract#/definitions/BlockReasonCategory/enum", keyword: "enum", params: { allowedValues: schema150.enum } }];
                    return false;
                  }
                  var valid0 = _errs10 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.severity !== void 0) {
                    let data4 = data.severity;
                    const _errs13 = errors;
                    if (typeof data4 !== "string") {
                      validate60.errors = [{ instancePath: instancePath + "/severity", schemaPath: "contract#/definitions/BlockSeverity/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                    if (!(data4 === "low" || data4 === "medium" || data4 === "high" || data4 === "critical")) {
                      validate60.errors = [{ instancePath: instancePath + "/severity", schemaPath: "contract#/definitions/BlockSeverity/enum", keyword: "enum", params: { allowedValues: schema151.enum } }];
                      return false;
                    }
                    var valid0 = _errs13 === errors;
                  } else {
                    var valid0 = true;
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate60.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate60.errors = vErrors;
  return errors === 0;
}
validate60.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsSetFederationPolicyRequest = validate61;
function validate62(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate62.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (Array.isArray(data)) {
      if (data.length > 1e4) {
        validate62.errors = [{ instancePath, schemaPath: "#/maxItems", keyword: "maxItems", params: { limit: 1e4 } }];
        return false;
      } else {
        var valid0 = true;
        const len0 = data.length;
        for (let i0 = 0; i0 < len0; i0++) {
          let data0 = data[i0];
          const _errs1 = errors;
          const _errs2 = errors;
          if (errors === _errs2) {
            if (typeof data0 === "string") {
              if (data0.length > 259) {
                validate62.errors = [{ instancePath: instancePath + "/" + i0, schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                return false;
              } else {
                if (data0.length < 1) {
                  validate62.errors = [{ instancePath: instancePath + "/" + i0, schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                  return false;
                } else {
                  if (!pattern36.test(data0)) {
                    validate62.errors = [{ instancePath: instancePath + "/" + i0, schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                    return false;
                  }
                }
              }
            } else {
              validate62.errors = [{ instancePath: instancePath + "/" + i0, schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
          if (!valid0) {
            break;
          }
        }
      }
    } else {
      validate62.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "array" } }];
      return false;
    }
  }
  validate62.errors = vErrors;
  return errors === 0;
}
validate62.evaluated = { "items": true, "dynamicProps": false, "dynamicItems": false };
function validate61(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate61.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.allowlist_mode === void 0 && (missing0 = "allowlist_mode") || data.auto_block_threshold === void 0 && (missing0 = "auto_block_threshold") || data.require_certificate_validation === void 0 && (missing0 = "require_certificate_validation") || data.publish_blocklist === void 0 && (missing0 = "publish_blocklist")) {
        validate61.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "allowlist_mode" || key0 === "allowlist" || key0 === "auto_block_threshold" || key0 === "require_certificate_validation" || key0 === "publish_blocklist")) {
            validate61.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.allowlist_mode !== void 0) {
            const _errs2 = errors;
            if (typeof data.allowlist_mode !== "boolean") {
              validate61.errors = [{ instancePath: instancePath + "/allowlist_mode", schemaPath: "contract#/definitions/AllowlistMode/type", keyword: "type", params: { type: "boolean" } }];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.allowlist !== void 0) {
              const _errs5 = errors;
              if (!validate62(data.allowlist, { instancePath: instancePath + "/allowlist", parentData: data, parentDataProperty: "allowlist", rootData, dynamicAnchors })) {
                vErrors = vErrors === null ? validate62.errors : vErrors.concat(validate62.errors);
                errors = vErrors.length;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.auto_block_threshold !== void 0) {
                let data2 = data.auto_block_threshold;
                const _errs6 = errors;
                const _errs7 = errors;
                if (errors === _errs7) {
                  if (typeof data2 == "number") {
                    if (data2 > 1 || isNaN(data2)) {
                      validate61.errors = [{ instancePath: instancePath + "/auto_block_threshold", schemaPath: "contract#/definitions/AutoBlockThreshold/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1 } }];
                      return false;
                    } else {
                      if (data2 < 0 || isNaN(data2)) {
                        validate61.errors = [{ instancePath: instancePath + "/auto_block_threshold", schemaPath: "contract#/definitions/AutoBlockThreshold/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                        return false;
                      }
                    }
                  } else {
                    validate61.errors = [{ instancePath: instancePath + "/auto_block_threshold", schemaPath: "contract#/definitions/AutoBlockThreshold/type", keyword: "type", params: { type: "number" } }];
                    return false;
                  }
                }
                var valid0 = _errs6 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.require_certificate_validation !== void 0) {
                  const _errs9 = errors;
                  if (typeof data.require_certificate_validation !== "boolean") {
                    validate61.errors = [{ instancePath: instancePath + "/require_certificate_validation", schemaPath: "contract#/definitions/RequireCertificateValidation/type", keyword: "type", params: { type: "boolean" } }];
                    return false;
                  }
                  var valid0 = _errs9 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.publish_blocklist !== void 0) {
                    const _errs12 = errors;
                    if (typeof data.publish_blocklist !== "boolean") {
                      validate61.errors = [{ instancePath: instancePath + "/publish_blocklist", schemaPath: "contract#/definitions/PublishBlocklist/type", keyword: "type", params: { type: "boolean" } }];
                      return false;
                    }
                    var valid0 = _errs12 === errors;
                  } else {
                    var valid0 = true;
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate61.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate61.errors = vErrors;
  return errors === 0;
}
validate61.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsCreateInviteRequest = validate64;
function validate64(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate64.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      if (data.max_uses === void 0) {
        data.max_uses = 1;
      }
      const _errs1 = errors;
      for (const key0 in data) {
        if (!(key0 === "max_uses" || key0 === "expires_at" || key0 === "domain")) {
          validate64.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
          return false;
          break;
        }
      }
      if (_errs1 === errors) {
        let data0 = data.max_uses;
        const _errs2 = errors;
        const _errs3 = errors;
        if (!(typeof data0 == "number" && (!(data0 % 1) && !isNaN(data0)))) {
          validate64.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InviteUses/type", keyword: "type", params: { type: "integer" } }];
          return false;
        }
        if (errors === _errs3) {
          if (typeof data0 == "number") {
            if (data0 > 1e4 || isNaN(data0)) {
              validate64.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InviteUses/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e4 } }];
              return false;
            } else {
              if (data0 < 1 || isNaN(data0)) {
                validate64.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InviteUses/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                return false;
              }
            }
          }
        }
        var valid0 = _errs2 === errors;
        if (valid0) {
          if (data.expires_at !== void 0) {
            let data1 = data.expires_at;
            const _errs5 = errors;
            const _errs6 = errors;
            if (!(typeof data1 == "number" && (!(data1 % 1) && !isNaN(data1)))) {
              validate64.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" } }];
              return false;
            }
            if (errors === _errs6) {
              if (typeof data1 == "number") {
                if (data1 > 253402300799 || isNaN(data1)) {
                  validate64.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                  return false;
                } else {
                  if (data1 < 0 || isNaN(data1)) {
                    validate64.errors = [{ instancePath: instancePath + "/expires_at", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                    return false;
                  }
                }
              }
            }
            var valid0 = _errs5 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.domain !== void 0) {
              let data2 = data.domain;
              const _errs8 = errors;
              const _errs9 = errors;
              if (errors === _errs9) {
                if (typeof data2 === "string") {
                  if (data2.length > 259) {
                    validate64.errors = [{ instancePath: instancePath + "/domain", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                    return false;
                  } else {
                    if (data2.length < 1) {
                      validate64.errors = [{ instancePath: instancePath + "/domain", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                      return false;
                    } else {
                      if (!pattern36.test(data2)) {
                        validate64.errors = [{ instancePath: instancePath + "/domain", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate64.errors = [{ instancePath: instancePath + "/domain", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate64.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate64.errors = vErrors;
  return errors === 0;
}
validate64.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsSpamReportRequest = validate65;
function validate65(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate65.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.message_id === void 0 && (missing0 = "message_id") || data.sender_id === void 0 && (missing0 = "sender_id") || data.reason === void 0 && (missing0 = "reason")) {
        validate65.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "message_id" || key0 === "sender_id" || key0 === "report_handle" || key0 === "reason" || key0 === "details")) {
            validate65.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.message_id !== void 0) {
            let data0 = data.message_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern22.test(data0)) {
                  validate65.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$" } }];
                  return false;
                }
              } else {
                validate65.errors = [{ instancePath: instancePath + "/message_id", schemaPath: "contract#/definitions/MessageId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.sender_id !== void 0) {
              let data1 = data.sender_id;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (typeof data1 === "string") {
                  if (!pattern4.test(data1)) {
                    validate65.errors = [{ instancePath: instancePath + "/sender_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                    return false;
                  }
                } else {
                  validate65.errors = [{ instancePath: instancePath + "/sender_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.report_handle !== void 0) {
                let data2 = data.report_handle;
                const _errs8 = errors;
                const _errs9 = errors;
                if (errors === _errs9) {
                  if (typeof data2 === "string") {
                    if (!pattern59.test(data2)) {
                      validate65.errors = [{ instancePath: instancePath + "/report_handle", schemaPath: "contract#/definitions/ReportHandle/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]{22}==$" } }];
                      return false;
                    }
                  } else {
                    validate65.errors = [{ instancePath: instancePath + "/report_handle", schemaPath: "contract#/definitions/ReportHandle/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.reason !== void 0) {
                  let data3 = data.reason;
                  const _errs11 = errors;
                  const _errs12 = errors;
                  if (errors === _errs12) {
                    if (typeof data3 === "string") {
                      if (data3.length > 200) {
                        validate65.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/SpamReason/maxLength", keyword: "maxLength", params: { limit: 200 } }];
                        return false;
                      } else {
                        if (data3.length < 1) {
                          validate65.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/SpamReason/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        }
                      }
                    } else {
                      validate65.errors = [{ instancePath: instancePath + "/reason", schemaPath: "contract#/definitions/SpamReason/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                  var valid0 = _errs11 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.details !== void 0) {
                    let data4 = data.details;
                    const _errs14 = errors;
                    if (errors === _errs14) {
                      if (typeof data4 === "string") {
                        if (data4.length > 1e3) {
                          validate65.errors = [{ instancePath: instancePath + "/details", schemaPath: "#/properties/details/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                          return false;
                        }
                      } else {
                        validate65.errors = [{ instancePath: instancePath + "/details", schemaPath: "#/properties/details/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                    var valid0 = _errs14 === errors;
                  } else {
                    var valid0 = true;
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate65.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate65.errors = vErrors;
  return errors === 0;
}
validate65.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsUploadInfoPackageRequest = validate66;
var schema170 = { "type": "string", "enum": ["identity", "group_invite"] };
var schema172 = { "type": ["integer", "null"], "format": "int64", "minimum": 1, "maximum": 1e3, "x-error": "INVALID_CONFIG" };
function validate66(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate66.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.ciphertext === void 0 && (missing0 = "ciphertext") || data.package_type === void 0 && (missing0 = "package_type") || data.ttl_seconds === void 0 && (missing0 = "ttl_seconds")) {
        validate66.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "ciphertext" || key0 === "package_type" || key0 === "ttl_seconds" || key0 === "max_uses")) {
            validate66.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.ciphertext !== void 0) {
            let data0 = data.ciphertext;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (data0.length < 4) {
                  validate66.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/InfoPackageCiphertext/minLength", keyword: "minLength", params: { limit: 4 } }];
                  return false;
                } else {
                  if (!pattern24.test(data0)) {
                    validate66.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/InfoPackageCiphertext/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" } }];
                    return false;
                  }
                }
              } else {
                validate66.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/InfoPackageCiphertext/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.package_type !== void 0) {
              let data1 = data.package_type;
              const _errs5 = errors;
              if (typeof data1 !== "string") {
                validate66.errors = [{ instancePath: instancePath + "/package_type", schemaPath: "contract#/definitions/InfoPackageType/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
              if (!(data1 === "identity" || data1 === "group_invite")) {
                validate66.errors = [{ instancePath: instancePath + "/package_type", schemaPath: "contract#/definitions/InfoPackageType/enum", keyword: "enum", params: { allowedValues: schema170.enum } }];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.ttl_seconds !== void 0) {
                let data2 = data.ttl_seconds;
                const _errs8 = errors;
                const _errs9 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate66.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs9) {
                  if (typeof data2 == "number") {
                    if (data2 > 2592e3 || isNaN(data2)) {
                      validate66.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/maximum", keyword: "maximum", params: { comparison: "<=", limit: 2592e3 } }];
                      return false;
                    } else {
                      if (data2 < 60 || isNaN(data2)) {
                        validate66.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/minimum", keyword: "minimum", params: { comparison: ">=", limit: 60 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.max_uses !== void 0) {
                  let data3 = data.max_uses;
                  const _errs11 = errors;
                  const _errs12 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3))) && data3 !== null) {
                    validate66.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/type", keyword: "type", params: { type: schema172.type } }];
                    return false;
                  }
                  if (errors === _errs12) {
                    if (typeof data3 == "number") {
                      if (data3 > 1e3 || isNaN(data3)) {
                        validate66.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                        return false;
                      } else {
                        if (data3 < 1 || isNaN(data3)) {
                          validate66.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs11 === errors;
                } else {
                  var valid0 = true;
                }
              }
            }
          }
        }
      }
    } else {
      validate66.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate66.errors = vErrors;
  return errors === 0;
}
validate66.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsCreateRevocableInfoPackageRequest = validate67;
function validate67(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate67.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.ciphertext === void 0 && (missing0 = "ciphertext") || data.ttl_seconds === void 0 && (missing0 = "ttl_seconds")) {
        validate67.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "ciphertext" || key0 === "ttl_seconds" || key0 === "max_uses")) {
            validate67.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.ciphertext !== void 0) {
            let data0 = data.ciphertext;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (data0.length < 4) {
                  validate67.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/InfoPackageCiphertext/minLength", keyword: "minLength", params: { limit: 4 } }];
                  return false;
                } else {
                  if (!pattern24.test(data0)) {
                    validate67.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/InfoPackageCiphertext/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" } }];
                    return false;
                  }
                }
              } else {
                validate67.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/InfoPackageCiphertext/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.ttl_seconds !== void 0) {
              let data1 = data.ttl_seconds;
              const _errs5 = errors;
              const _errs6 = errors;
              if (!(typeof data1 == "number" && (!(data1 % 1) && !isNaN(data1)))) {
                validate67.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/type", keyword: "type", params: { type: "integer" } }];
                return false;
              }
              if (errors === _errs6) {
                if (typeof data1 == "number") {
                  if (data1 > 2592e3 || isNaN(data1)) {
                    validate67.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/maximum", keyword: "maximum", params: { comparison: "<=", limit: 2592e3 } }];
                    return false;
                  } else {
                    if (data1 < 60 || isNaN(data1)) {
                      validate67.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/minimum", keyword: "minimum", params: { comparison: ">=", limit: 60 } }];
                      return false;
                    }
                  }
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.max_uses !== void 0) {
                let data2 = data.max_uses;
                const _errs8 = errors;
                const _errs9 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2))) && data2 !== null) {
                  validate67.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/type", keyword: "type", params: { type: schema172.type } }];
                  return false;
                }
                if (errors === _errs9) {
                  if (typeof data2 == "number") {
                    if (data2 > 1e3 || isNaN(data2)) {
                      validate67.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                      return false;
                    } else {
                      if (data2 < 1 || isNaN(data2)) {
                        validate67.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
            }
          }
        }
      }
    } else {
      validate67.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate67.errors = vErrors;
  return errors === 0;
}
validate67.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsUploadPlainInfoPackageRequest = validate68;
function validate68(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate68.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.package_type === void 0 && (missing0 = "package_type") || data.content === void 0 && (missing0 = "content") || data.ttl_seconds === void 0 && (missing0 = "ttl_seconds")) {
        validate68.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "package_type" || key0 === "content" || key0 === "ttl_seconds" || key0 === "max_uses")) {
            validate68.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.package_type !== void 0) {
            let data0 = data.package_type;
            const _errs2 = errors;
            if (typeof data0 !== "string") {
              validate68.errors = [{ instancePath: instancePath + "/package_type", schemaPath: "contract#/definitions/InfoPackageType/type", keyword: "type", params: { type: "string" } }];
              return false;
            }
            if (!(data0 === "identity" || data0 === "group_invite")) {
              validate68.errors = [{ instancePath: instancePath + "/package_type", schemaPath: "contract#/definitions/InfoPackageType/enum", keyword: "enum", params: { allowedValues: schema170.enum } }];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.content !== void 0) {
              let data1 = data.content;
              const _errs5 = errors;
              const _errs6 = errors;
              if (errors === _errs6) {
                if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                } else {
                  validate68.errors = [{ instancePath: instancePath + "/content", schemaPath: "contract#/definitions/InfoPackageContent/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.ttl_seconds !== void 0) {
                let data2 = data.ttl_seconds;
                const _errs9 = errors;
                const _errs10 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate68.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs10) {
                  if (typeof data2 == "number") {
                    if (data2 > 2592e3 || isNaN(data2)) {
                      validate68.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/maximum", keyword: "maximum", params: { comparison: "<=", limit: 2592e3 } }];
                      return false;
                    } else {
                      if (data2 < 60 || isNaN(data2)) {
                        validate68.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "contract#/definitions/InfoPackageTtl/minimum", keyword: "minimum", params: { comparison: ">=", limit: 60 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs9 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.max_uses !== void 0) {
                  let data3 = data.max_uses;
                  const _errs12 = errors;
                  const _errs13 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3))) && data3 !== null) {
                    validate68.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/type", keyword: "type", params: { type: schema172.type } }];
                    return false;
                  }
                  if (errors === _errs13) {
                    if (typeof data3 == "number") {
                      if (data3 > 1e3 || isNaN(data3)) {
                        validate68.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                        return false;
                      } else {
                        if (data3 < 1 || isNaN(data3)) {
                          validate68.errors = [{ instancePath: instancePath + "/max_uses", schemaPath: "contract#/definitions/InfoPackageMaxUses/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs12 === errors;
                } else {
                  var valid0 = true;
                }
              }
            }
          }
        }
      }
    } else {
      validate68.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate68.errors = vErrors;
  return errors === 0;
}
validate68.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsUploadKeyPackagesRequest = validate69;
function validate69(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate69.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.device_id === void 0 && (missing0 = "device_id") || data.key_packages === void 0 && (missing0 = "key_packages") || data.signature === void 0 && (missing0 = "signature") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate69.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "device_id" || key0 === "key_packages" || key0 === "signature" || key0 === "timestamp" || key0 === "replace" || key0 === "last_resort_key_package" || key0 === "audience" || key0 === "address")) {
            validate69.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.device_id !== void 0) {
            let data0 = data.device_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate69.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate69.errors = [{ instancePath: instancePath + "/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.key_packages !== void 0) {
              let data1 = data.key_packages;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (Array.isArray(data1)) {
                  if (data1.length > 100) {
                    validate69.errors = [{ instancePath: instancePath + "/key_packages", schemaPath: "#/properties/key_packages/maxItems", keyword: "maxItems", params: { limit: 100 } }];
                    return false;
                  } else {
                    var valid2 = true;
                    const len0 = data1.length;
                    for (let i0 = 0; i0 < len0; i0++) {
                      let data2 = data1[i0];
                      const _errs7 = errors;
                      const _errs8 = errors;
                      if (errors === _errs8) {
                        if (typeof data2 === "string") {
                          if (data2.length > 43692) {
                            validate69.errors = [{ instancePath: instancePath + "/key_packages/" + i0, schemaPath: "contract#/definitions/KeyPackage/maxLength", keyword: "maxLength", params: { limit: 43692 } }];
                            return false;
                          } else {
                            if (data2.length < 88) {
                              validate69.errors = [{ instancePath: instancePath + "/key_packages/" + i0, schemaPath: "contract#/definitions/KeyPackage/minLength", keyword: "minLength", params: { limit: 88 } }];
                              return false;
                            } else {
                              if (!pattern24.test(data2)) {
                                validate69.errors = [{ instancePath: instancePath + "/key_packages/" + i0, schemaPath: "contract#/definitions/KeyPackage/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" } }];
                                return false;
                              }
                            }
                          }
                        } else {
                          validate69.errors = [{ instancePath: instancePath + "/key_packages/" + i0, schemaPath: "contract#/definitions/KeyPackage/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                      var valid2 = _errs7 === errors;
                      if (!valid2) {
                        break;
                      }
                    }
                  }
                } else {
                  validate69.errors = [{ instancePath: instancePath + "/key_packages", schemaPath: "#/properties/key_packages/type", keyword: "type", params: { type: "array" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.signature !== void 0) {
                let data3 = data.signature;
                const _errs10 = errors;
                const _errs11 = errors;
                if (errors === _errs11) {
                  if (typeof data3 === "string") {
                    if (!pattern7.test(data3)) {
                      validate69.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/Signature/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{128}$" } }];
                      return false;
                    }
                  } else {
                    validate69.errors = [{ instancePath: instancePath + "/signature", schemaPath: "contract#/definitions/Signature/type", keyword: "type", params: { type: "string" } }];
                    return false;
                  }
                }
                var valid0 = _errs10 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.timestamp !== void 0) {
                  let data4 = data.timestamp;
                  const _errs13 = errors;
                  const _errs14 = errors;
                  if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                    validate69.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs14) {
                    if (typeof data4 == "number") {
                      if (data4 > 253402300799 || isNaN(data4)) {
                        validate69.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                        return false;
                      } else {
                        if (data4 < 0 || isNaN(data4)) {
                          validate69.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs13 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.replace !== void 0) {
                    const _errs16 = errors;
                    if (typeof data.replace !== "boolean") {
                      validate69.errors = [{ instancePath: instancePath + "/replace", schemaPath: "#/properties/replace/type", keyword: "type", params: { type: "boolean" } }];
                      return false;
                    }
                    var valid0 = _errs16 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.last_resort_key_package !== void 0) {
                      let data6 = data.last_resort_key_package;
                      const _errs18 = errors;
                      const _errs19 = errors;
                      if (errors === _errs19) {
                        if (typeof data6 === "string") {
                          if (data6.length > 43692) {
                            validate69.errors = [{ instancePath: instancePath + "/last_resort_key_package", schemaPath: "contract#/definitions/KeyPackage/maxLength", keyword: "maxLength", params: { limit: 43692 } }];
                            return false;
                          } else {
                            if (data6.length < 88) {
                              validate69.errors = [{ instancePath: instancePath + "/last_resort_key_package", schemaPath: "contract#/definitions/KeyPackage/minLength", keyword: "minLength", params: { limit: 88 } }];
                              return false;
                            } else {
                              if (!pattern24.test(data6)) {
                                validate69.errors = [{ instancePath: instancePath + "/last_resort_key_package", schemaPath: "contract#/definitions/KeyPackage/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" } }];
                                return false;
                              }
                            }
                          }
                        } else {
                          validate69.errors = [{ instancePath: instancePath + "/last_resort_key_package", schemaPath: "contract#/definitions/KeyPackage/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                      var valid0 = _errs18 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.audience !== void 0) {
                        let data7 = data.audience;
                        const _errs21 = errors;
                        const _errs22 = errors;
                        if (errors === _errs22) {
                          if (typeof data7 === "string") {
                            if (data7.length > 259) {
                              validate69.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                              return false;
                            } else {
                              if (data7.length < 1) {
                                validate69.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/minLength", keyword: "minLength", params: { limit: 1 } }];
                                return false;
                              }
                            }
                          } else {
                            validate69.errors = [{ instancePath: instancePath + "/audience", schemaPath: "contract#/definitions/Audience/type", keyword: "type", params: { type: "string" } }];
                            return false;
                          }
                        }
                        var valid0 = _errs21 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.address !== void 0) {
                          let data8 = data.address;
                          const _errs24 = errors;
                          const _errs25 = errors;
                          if (errors === _errs25) {
                            if (typeof data8 === "string") {
                              if (data8.length > 296) {
                                validate69.errors = [{ instancePath: instancePath + "/address", schemaPath: "contract#/definitions/Address/maxLength", keyword: "maxLength", params: { limit: 296 } }];
                                return false;
                              } else {
                                if (data8.length < 34) {
                                  validate69.errors = [{ instancePath: instancePath + "/address", schemaPath: "contract#/definitions/Address/minLength", keyword: "minLength", params: { limit: 34 } }];
                                  return false;
                                } else {
                                  if (!pattern23.test(data8)) {
                                    validate69.errors = [{ instancePath: instancePath + "/address", schemaPath: "contract#/definitions/Address/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                                    return false;
                                  }
                                }
                              }
                            } else {
                              validate69.errors = [{ instancePath: instancePath + "/address", schemaPath: "contract#/definitions/Address/type", keyword: "type", params: { type: "string" } }];
                              return false;
                            }
                          }
                          var valid0 = _errs24 === errors;
                        } else {
                          var valid0 = true;
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate69.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate69.errors = vErrors;
  return errors === 0;
}
validate69.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsClaimKeyPackagesRequest = validate70;
function validate70(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate70.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.claim_id === void 0 && (missing0 = "claim_id") || data.addresses === void 0 && (missing0 = "addresses")) {
        validate70.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "claim_id" || key0 === "addresses")) {
            validate70.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.claim_id !== void 0) {
            let data0 = data.claim_id;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate70.errors = [{ instancePath: instancePath + "/claim_id", schemaPath: "contract#/definitions/ClaimId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate70.errors = [{ instancePath: instancePath + "/claim_id", schemaPath: "contract#/definitions/ClaimId/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.addresses !== void 0) {
              const _errs5 = errors;
              if (!validate39(data.addresses, { instancePath: instancePath + "/addresses", parentData: data, parentDataProperty: "addresses", rootData, dynamicAnchors })) {
                vErrors = vErrors === null ? validate39.errors : vErrors.concat(validate39.errors);
                errors = vErrors.length;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate70.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate70.errors = vErrors;
  return errors === 0;
}
validate70.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsCreateProvisioningRequest = validate72;
function validate72(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate72.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.ephemeral_public_key === void 0 && (missing0 = "ephemeral_public_key") || data.ttl_seconds === void 0 && (missing0 = "ttl_seconds") || data.timestamp === void 0 && (missing0 = "timestamp")) {
        validate72.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "ephemeral_public_key" || key0 === "ttl_seconds" || key0 === "timestamp")) {
            validate72.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.ephemeral_public_key !== void 0) {
            let data0 = data.ephemeral_public_key;
            const _errs2 = errors;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (!pattern4.test(data0)) {
                  validate72.errors = [{ instancePath: instancePath + "/ephemeral_public_key", schemaPath: "contract#/definitions/PublicKey/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                  return false;
                }
              } else {
                validate72.errors = [{ instancePath: instancePath + "/ephemeral_public_key", schemaPath: "contract#/definitions/PublicKey/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.ttl_seconds !== void 0) {
              let data1 = data.ttl_seconds;
              const _errs5 = errors;
              if (!(typeof data1 == "number" && (!(data1 % 1) && !isNaN(data1)))) {
                validate72.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "#/properties/ttl_seconds/type", keyword: "type", params: { type: "integer" } }];
                return false;
              }
              if (errors === _errs5) {
                if (typeof data1 == "number") {
                  if (data1 > 300 || isNaN(data1)) {
                    validate72.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "#/properties/ttl_seconds/maximum", keyword: "maximum", params: { comparison: "<=", limit: 300 } }];
                    return false;
                  } else {
                    if (data1 < 30 || isNaN(data1)) {
                      validate72.errors = [{ instancePath: instancePath + "/ttl_seconds", schemaPath: "#/properties/ttl_seconds/minimum", keyword: "minimum", params: { comparison: ">=", limit: 30 } }];
                      return false;
                    }
                  }
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.timestamp !== void 0) {
                let data2 = data.timestamp;
                const _errs7 = errors;
                const _errs8 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate72.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs8) {
                  if (typeof data2 == "number") {
                    if (data2 > 253402300799 || isNaN(data2)) {
                      validate72.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                      return false;
                    } else {
                      if (data2 < 0 || isNaN(data2)) {
                        validate72.errors = [{ instancePath: instancePath + "/timestamp", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
            }
          }
        }
      }
    } else {
      validate72.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate72.errors = vErrors;
  return errors === 0;
}
validate72.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsCreateLinkingCodeRequest = validate73;
function validate73(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate73.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.qr === void 0 && (missing0 = "qr")) {
        validate73.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "qr")) {
            validate73.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.qr !== void 0) {
            let data0 = data.qr;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (data0.length > 1024) {
                  validate73.errors = [{ instancePath: instancePath + "/qr", schemaPath: "contract#/definitions/LinkingQr/maxLength", keyword: "maxLength", params: { limit: 1024 } }];
                  return false;
                } else {
                  if (data0.length < 1) {
                    validate73.errors = [{ instancePath: instancePath + "/qr", schemaPath: "contract#/definitions/LinkingQr/minLength", keyword: "minLength", params: { limit: 1 } }];
                    return false;
                  }
                }
              } else {
                validate73.errors = [{ instancePath: instancePath + "/qr", schemaPath: "contract#/definitions/LinkingQr/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate73.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate73.errors = vErrors;
  return errors === 0;
}
validate73.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsPutProvisioningBlobRequest = validate74;
function validate74(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate74.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.ciphertext === void 0 && (missing0 = "ciphertext")) {
        validate74.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === "ciphertext")) {
            validate74.errors = [{ instancePath, schemaPath: "#/additionalProperties", keyword: "additionalProperties", params: { additionalProperty: key0 } }];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.ciphertext !== void 0) {
            let data0 = data.ciphertext;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (typeof data0 === "string") {
                if (data0.length < 4) {
                  validate74.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/ProvisioningCiphertext/minLength", keyword: "minLength", params: { limit: 4 } }];
                  return false;
                } else {
                  if (!pattern24.test(data0)) {
                    validate74.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/ProvisioningCiphertext/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9+/]*={0,2}$" } }];
                    return false;
                  }
                }
              } else {
                validate74.errors = [{ instancePath: instancePath + "/ciphertext", schemaPath: "contract#/definitions/ProvisioningCiphertext/type", keyword: "type", params: { type: "string" } }];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate74.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate74.errors = vErrors;
  return errors === 0;
}
validate74.evaluated = { "props": true, "dynamicProps": false, "dynamicItems": false };
var acceptsgetRegistrationChallengeParameters = validate75;
function validate75(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate75.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate75.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate75.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                let missing1;
                if (data1.public_key === void 0 && (missing1 = "public_key")) {
                  validate75.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/required", keyword: "required", params: { missingProperty: missing1 } }];
                  return false;
                } else {
                  if (data1.public_key !== void 0) {
                    let data2 = data1.public_key;
                    const _errs6 = errors;
                    if (errors === _errs6) {
                      if (typeof data2 === "string") {
                        if (!pattern4.test(data2)) {
                          validate75.errors = [{ instancePath: instancePath + "/query/public_key", schemaPath: "contract#/definitions/PublicKey/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                          return false;
                        }
                      } else {
                        validate75.errors = [{ instancePath: instancePath + "/query/public_key", schemaPath: "contract#/definitions/PublicKey/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                }
              } else {
                validate75.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate75.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate75.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate75.errors = vErrors;
  return errors === 0;
}
validate75.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsendAddressParameters = validate76;
function validate76(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate76.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate76.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.prefix === void 0 && (missing1 = "prefix")) {
                validate76.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.prefix !== void 0) {
                  let data1 = data0.prefix;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern14.test(data1)) {
                        validate76.errors = [{ instancePath: instancePath + "/path/prefix", schemaPath: "contract#/definitions/AddressPrefix/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})$" } }];
                        return false;
                      }
                    } else {
                      validate76.errors = [{ instancePath: instancePath + "/path/prefix", schemaPath: "contract#/definitions/AddressPrefix/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate76.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate76.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate76.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate76.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate76.errors = vErrors;
  return errors === 0;
}
validate76.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptspollMessagesParameters = validate77;
function validate77(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate77.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate77.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate77.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.since !== void 0) {
                  let data2 = data1.since;
                  const _errs5 = errors;
                  const _errs6 = errors;
                  if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                    validate77.errors = [{ instancePath: instancePath + "/query/since", schemaPath: "contract#/definitions/Timestamp/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs6) {
                    if (typeof data2 == "number") {
                      if (data2 > 253402300799 || isNaN(data2)) {
                        validate77.errors = [{ instancePath: instancePath + "/query/since", schemaPath: "contract#/definitions/Timestamp/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                        return false;
                      } else {
                        if (data2 < 0 || isNaN(data2)) {
                          validate77.errors = [{ instancePath: instancePath + "/query/since", schemaPath: "contract#/definitions/Timestamp/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid1 = _errs5 === errors;
                } else {
                  var valid1 = true;
                }
                if (valid1) {
                  if (data1.limit !== void 0) {
                    let data3 = data1.limit;
                    const _errs8 = errors;
                    if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                      validate77.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/type", keyword: "type", params: { type: "integer" } }];
                      return false;
                    }
                    if (errors === _errs8) {
                      if (typeof data3 == "number") {
                        if (data3 > 1e3 || isNaN(data3)) {
                          validate77.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                          return false;
                        } else {
                          if (data3 < 1 || isNaN(data3)) {
                            validate77.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid1 = _errs8 === errors;
                  } else {
                    var valid1 = true;
                  }
                }
              } else {
                validate77.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data4 = data.header;
              const _errs10 = errors;
              if (errors === _errs10) {
                if (!(data4 && typeof data4 == "object" && !Array.isArray(data4))) {
                  validate77.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs10 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate77.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate77.errors = vErrors;
  return errors === 0;
}
validate77.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsacknowledgeMessageParameters = validate78;
function validate78(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate78.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate78.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.message_id === void 0 && (missing1 = "message_id")) {
                validate78.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.message_id !== void 0) {
                  let data1 = data0.message_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern22.test(data1)) {
                        validate78.errors = [{ instancePath: instancePath + "/path/message_id", schemaPath: "contract#/definitions/MessageId/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{12}7[0-9a-fA-F]{3}[89abAB][0-9a-fA-F]{15})$" } }];
                        return false;
                      }
                    } else {
                      validate78.errors = [{ instancePath: instancePath + "/path/message_id", schemaPath: "contract#/definitions/MessageId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate78.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate78.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate78.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate78.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate78.errors = vErrors;
  return errors === 0;
}
validate78.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsreadSlotsParameters = validate79;
function validate79(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate79.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate79.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate79.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.domain !== void 0) {
                  let data2 = data1.domain;
                  const _errs6 = errors;
                  if (errors === _errs6) {
                    if (typeof data2 === "string") {
                      if (data2.length > 259) {
                        validate79.errors = [{ instancePath: instancePath + "/query/domain", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                        return false;
                      } else {
                        if (data2.length < 1) {
                          validate79.errors = [{ instancePath: instancePath + "/query/domain", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        } else {
                          if (!pattern36.test(data2)) {
                            validate79.errors = [{ instancePath: instancePath + "/query/domain", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate79.errors = [{ instancePath: instancePath + "/query/domain", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              } else {
                validate79.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate79.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate79.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate79.errors = vErrors;
  return errors === 0;
}
validate79.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptstakeSlotParameters = validate80;
function validate80(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate80.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate80.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.slot === void 0 && (missing1 = "slot")) {
                validate80.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.slot !== void 0) {
                  let data1 = data0.slot;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate80.errors = [{ instancePath: instancePath + "/path/slot", schemaPath: "contract#/definitions/SlotName/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate80.errors = [{ instancePath: instancePath + "/path/slot", schemaPath: "contract#/definitions/SlotName/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate80.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate80.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate80.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate80.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate80.errors = vErrors;
  return errors === 0;
}
validate80.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetSlotParameters = validate81;
function validate81(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate81.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate81.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.slot === void 0 && (missing1 = "slot")) {
                validate81.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.slot !== void 0) {
                  let data1 = data0.slot;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate81.errors = [{ instancePath: instancePath + "/path/slot", schemaPath: "contract#/definitions/SlotName/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate81.errors = [{ instancePath: instancePath + "/path/slot", schemaPath: "contract#/definitions/SlotName/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate81.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                if (data2.domain !== void 0) {
                  let data3 = data2.domain;
                  const _errs9 = errors;
                  if (errors === _errs9) {
                    if (typeof data3 === "string") {
                      if (data3.length > 259) {
                        validate81.errors = [{ instancePath: instancePath + "/query/domain", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                        return false;
                      } else {
                        if (data3.length < 1) {
                          validate81.errors = [{ instancePath: instancePath + "/query/domain", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        } else {
                          if (!pattern36.test(data3)) {
                            validate81.errors = [{ instancePath: instancePath + "/query/domain", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate81.errors = [{ instancePath: instancePath + "/query/domain", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              } else {
                validate81.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data4 = data.header;
              const _errs11 = errors;
              if (errors === _errs11) {
                if (!(data4 && typeof data4 == "object" && !Array.isArray(data4))) {
                  validate81.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs11 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate81.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate81.errors = vErrors;
  return errors === 0;
}
validate81.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsdownloadBlobParameters = validate82;
var pattern95 = func0("^[0-9a-fA-F]{32}$", "u");
function validate82(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate82.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate82.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.blob_id === void 0 && (missing1 = "blob_id")) {
                validate82.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.blob_id !== void 0) {
                  let data1 = data0.blob_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate82.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate82.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate82.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate82.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  if (data3.range !== void 0) {
                    let data4 = data3.range;
                    const _errs10 = errors;
                    if (errors === _errs10) {
                      if (typeof data4 === "string") {
                        if (data4.length > 1e3) {
                          validate82.errors = [{ instancePath: instancePath + "/header/range", schemaPath: "#/properties/header/properties/range/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                          return false;
                        }
                      } else {
                        validate82.errors = [{ instancePath: instancePath + "/header/range", schemaPath: "#/properties/header/properties/range/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                    var valid3 = _errs10 === errors;
                  } else {
                    var valid3 = true;
                  }
                  if (valid3) {
                    if (data3["if-range"] !== void 0) {
                      let data5 = data3["if-range"];
                      const _errs12 = errors;
                      if (errors === _errs12) {
                        if (typeof data5 === "string") {
                          if (data5.length > 1e3) {
                            validate82.errors = [{ instancePath: instancePath + "/header/if-range", schemaPath: "#/properties/header/properties/if-range/maxLength", keyword: "maxLength", params: { limit: 1e3 } }];
                            return false;
                          }
                        } else {
                          validate82.errors = [{ instancePath: instancePath + "/header/if-range", schemaPath: "#/properties/header/properties/if-range/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                      var valid3 = _errs12 === errors;
                    } else {
                      var valid3 = true;
                    }
                    if (valid3) {
                      if (data3["x-download-id"] !== void 0) {
                        let data6 = data3["x-download-id"];
                        const _errs14 = errors;
                        if (errors === _errs14) {
                          if (typeof data6 === "string") {
                            if (!pattern95.test(data6)) {
                              validate82.errors = [{ instancePath: instancePath + "/header/x-download-id", schemaPath: "#/properties/header/properties/x-download-id/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{32}$" } }];
                              return false;
                            }
                          } else {
                            validate82.errors = [{ instancePath: instancePath + "/header/x-download-id", schemaPath: "#/properties/header/properties/x-download-id/type", keyword: "type", params: { type: "string" } }];
                            return false;
                          }
                        }
                        var valid3 = _errs14 === errors;
                      } else {
                        var valid3 = true;
                      }
                    }
                  }
                } else {
                  validate82.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate82.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate82.errors = vErrors;
  return errors === 0;
}
validate82.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsdeleteBlobParameters = validate83;
function validate83(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate83.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate83.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.blob_id === void 0 && (missing1 = "blob_id")) {
                validate83.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.blob_id !== void 0) {
                  let data1 = data0.blob_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate83.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate83.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate83.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate83.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  let missing2;
                  if (data3["x-delete-token"] === void 0 && (missing2 = "x-delete-token")) {
                    validate83.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing2 } }];
                    return false;
                  } else {
                    if (data3["x-delete-token"] !== void 0) {
                      let data4 = data3["x-delete-token"];
                      const _errs11 = errors;
                      if (errors === _errs11) {
                        if (typeof data4 === "string") {
                          if (!pattern4.test(data4)) {
                            validate83.errors = [{ instancePath: instancePath + "/header/x-delete-token", schemaPath: "contract#/definitions/BlobToken/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                            return false;
                          }
                        } else {
                          validate83.errors = [{ instancePath: instancePath + "/header/x-delete-token", schemaPath: "contract#/definitions/BlobToken/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                    }
                  }
                } else {
                  validate83.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate83.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate83.errors = vErrors;
  return errors === 0;
}
validate83.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsuploadBlobPartParameters = validate84;
var pattern99 = func0("^(?:0|[1-9][0-9]{0,3})$", "u");
var pattern101 = func0("^sha-256=:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=:$", "u");
function validate84(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate84.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate84.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.blob_id === void 0 && (missing1 = "blob_id") || data0.part === void 0 && (missing1 = "part")) {
                validate84.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.blob_id !== void 0) {
                  let data1 = data0.blob_id;
                  const _errs3 = errors;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate84.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate84.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                  var valid1 = _errs3 === errors;
                } else {
                  var valid1 = true;
                }
                if (valid1) {
                  if (data0.part !== void 0) {
                    let data2 = data0.part;
                    const _errs6 = errors;
                    if (errors === _errs6) {
                      if (typeof data2 === "string") {
                        if (!pattern99.test(data2)) {
                          validate84.errors = [{ instancePath: instancePath + "/path/part", schemaPath: "#/properties/path/properties/part/pattern", keyword: "pattern", params: { pattern: "^(?:0|[1-9][0-9]{0,3})$" } }];
                          return false;
                        }
                      } else {
                        validate84.errors = [{ instancePath: instancePath + "/path/part", schemaPath: "#/properties/path/properties/part/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                    var valid1 = _errs6 === errors;
                  } else {
                    var valid1 = true;
                  }
                }
              }
            } else {
              validate84.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data3 = data.query;
            const _errs8 = errors;
            if (errors === _errs8) {
              if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                validate84.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs8 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data4 = data.header;
              const _errs10 = errors;
              if (errors === _errs10) {
                if (data4 && typeof data4 == "object" && !Array.isArray(data4)) {
                  let missing2;
                  if (data4["x-upload-token"] === void 0 && (missing2 = "x-upload-token") || data4["content-digest"] === void 0 && (missing2 = "content-digest")) {
                    validate84.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing2 } }];
                    return false;
                  } else {
                    if (data4["x-upload-token"] !== void 0) {
                      let data5 = data4["x-upload-token"];
                      const _errs12 = errors;
                      const _errs13 = errors;
                      if (errors === _errs13) {
                        if (typeof data5 === "string") {
                          if (!pattern4.test(data5)) {
                            validate84.errors = [{ instancePath: instancePath + "/header/x-upload-token", schemaPath: "contract#/definitions/BlobToken/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                            return false;
                          }
                        } else {
                          validate84.errors = [{ instancePath: instancePath + "/header/x-upload-token", schemaPath: "contract#/definitions/BlobToken/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                      var valid3 = _errs12 === errors;
                    } else {
                      var valid3 = true;
                    }
                    if (valid3) {
                      if (data4["content-digest"] !== void 0) {
                        let data6 = data4["content-digest"];
                        const _errs15 = errors;
                        if (errors === _errs15) {
                          if (typeof data6 === "string") {
                            if (!pattern101.test(data6)) {
                              validate84.errors = [{ instancePath: instancePath + "/header/content-digest", schemaPath: "#/properties/header/properties/content-digest/pattern", keyword: "pattern", params: { pattern: "^sha-256=:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=:$" } }];
                              return false;
                            }
                          } else {
                            validate84.errors = [{ instancePath: instancePath + "/header/content-digest", schemaPath: "#/properties/header/properties/content-digest/type", keyword: "type", params: { type: "string" } }];
                            return false;
                          }
                        }
                        var valid3 = _errs15 === errors;
                      } else {
                        var valid3 = true;
                      }
                    }
                  }
                } else {
                  validate84.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs10 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate84.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate84.errors = vErrors;
  return errors === 0;
}
validate84.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetBlobUploadParameters = validate85;
function validate85(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate85.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate85.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.blob_id === void 0 && (missing1 = "blob_id")) {
                validate85.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.blob_id !== void 0) {
                  let data1 = data0.blob_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate85.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate85.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate85.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate85.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  let missing2;
                  if (data3["x-upload-token"] === void 0 && (missing2 = "x-upload-token")) {
                    validate85.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing2 } }];
                    return false;
                  } else {
                    if (data3["x-upload-token"] !== void 0) {
                      let data4 = data3["x-upload-token"];
                      const _errs11 = errors;
                      if (errors === _errs11) {
                        if (typeof data4 === "string") {
                          if (!pattern4.test(data4)) {
                            validate85.errors = [{ instancePath: instancePath + "/header/x-upload-token", schemaPath: "contract#/definitions/BlobToken/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                            return false;
                          }
                        } else {
                          validate85.errors = [{ instancePath: instancePath + "/header/x-upload-token", schemaPath: "contract#/definitions/BlobToken/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                    }
                  }
                } else {
                  validate85.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate85.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate85.errors = vErrors;
  return errors === 0;
}
validate85.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptscompleteBlobParameters = validate86;
function validate86(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate86.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate86.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.blob_id === void 0 && (missing1 = "blob_id")) {
                validate86.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.blob_id !== void 0) {
                  let data1 = data0.blob_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate86.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate86.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate86.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate86.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  let missing2;
                  if (data3["x-upload-token"] === void 0 && (missing2 = "x-upload-token")) {
                    validate86.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing2 } }];
                    return false;
                  } else {
                    if (data3["x-upload-token"] !== void 0) {
                      let data4 = data3["x-upload-token"];
                      const _errs11 = errors;
                      if (errors === _errs11) {
                        if (typeof data4 === "string") {
                          if (!pattern4.test(data4)) {
                            validate86.errors = [{ instancePath: instancePath + "/header/x-upload-token", schemaPath: "contract#/definitions/BlobToken/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                            return false;
                          }
                        } else {
                          validate86.errors = [{ instancePath: instancePath + "/header/x-upload-token", schemaPath: "contract#/definitions/BlobToken/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                    }
                  }
                } else {
                  validate86.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate86.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate86.errors = vErrors;
  return errors === 0;
}
validate86.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsclaimKeyPackagesForPeerParameters = validate87;
function validate87(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate87.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate87.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate87.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (!(data1 && typeof data1 == "object" && !Array.isArray(data1))) {
                validate87.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data2 = data.header;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                  let missing1;
                  if (data2["x-origin-server"] === void 0 && (missing1 = "x-origin-server")) {
                    validate87.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing1 } }];
                    return false;
                  } else {
                    if (data2["x-origin-server"] !== void 0) {
                      let data3 = data2["x-origin-server"];
                      const _errs7 = errors;
                      if (errors === _errs7) {
                        if (typeof data3 === "string") {
                          if (data3.length > 259) {
                            validate87.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                            return false;
                          } else {
                            if (data3.length < 1) {
                              validate87.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/minLength", keyword: "minLength", params: { limit: 1 } }];
                              return false;
                            }
                          }
                        } else {
                          validate87.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                    }
                  }
                } else {
                  validate87.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate87.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate87.errors = vErrors;
  return errors === 0;
}
validate87.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsaskSlotParameters = validate88;
function validate88(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate88.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate88.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate88.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (!(data1 && typeof data1 == "object" && !Array.isArray(data1))) {
                validate88.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data2 = data.header;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                  let missing1;
                  if (data2["x-origin-server"] === void 0 && (missing1 = "x-origin-server")) {
                    validate88.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing1 } }];
                    return false;
                  } else {
                    if (data2["x-origin-server"] !== void 0) {
                      let data3 = data2["x-origin-server"];
                      const _errs7 = errors;
                      if (errors === _errs7) {
                        if (typeof data3 === "string") {
                          if (data3.length > 259) {
                            validate88.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                            return false;
                          } else {
                            if (data3.length < 1) {
                              validate88.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/minLength", keyword: "minLength", params: { limit: 1 } }];
                              return false;
                            }
                          }
                        } else {
                          validate88.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                    }
                  }
                } else {
                  validate88.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate88.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate88.errors = vErrors;
  return errors === 0;
}
validate88.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptspushOnlineMessagesParameters = validate89;
function validate89(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate89.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate89.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate89.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (!(data1 && typeof data1 == "object" && !Array.isArray(data1))) {
                validate89.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data2 = data.header;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                  let missing1;
                  if (data2["x-origin-server"] === void 0 && (missing1 = "x-origin-server")) {
                    validate89.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing1 } }];
                    return false;
                  } else {
                    if (data2["x-origin-server"] !== void 0) {
                      let data3 = data2["x-origin-server"];
                      const _errs7 = errors;
                      if (errors === _errs7) {
                        if (typeof data3 === "string") {
                          if (data3.length > 259) {
                            validate89.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                            return false;
                          } else {
                            if (data3.length < 1) {
                              validate89.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/minLength", keyword: "minLength", params: { limit: 1 } }];
                              return false;
                            }
                          }
                        } else {
                          validate89.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                    }
                  }
                } else {
                  validate89.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate89.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate89.errors = vErrors;
  return errors === 0;
}
validate89.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsforwardSpamReportParameters = validate90;
function validate90(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate90.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate90.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate90.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (!(data1 && typeof data1 == "object" && !Array.isArray(data1))) {
                validate90.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data2 = data.header;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                  let missing1;
                  if (data2["x-origin-server"] === void 0 && (missing1 = "x-origin-server")) {
                    validate90.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing1 } }];
                    return false;
                  } else {
                    if (data2["x-origin-server"] !== void 0) {
                      let data3 = data2["x-origin-server"];
                      const _errs7 = errors;
                      if (errors === _errs7) {
                        if (typeof data3 === "string") {
                          if (data3.length > 259) {
                            validate90.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                            return false;
                          } else {
                            if (data3.length < 1) {
                              validate90.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/minLength", keyword: "minLength", params: { limit: 1 } }];
                              return false;
                            }
                          }
                        } else {
                          validate90.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                    }
                  }
                } else {
                  validate90.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate90.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate90.errors = vErrors;
  return errors === 0;
}
validate90.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsdeliverTransactionParameters = validate91;
function validate91(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate91.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate91.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.transaction_id === void 0 && (missing1 = "transaction_id")) {
                validate91.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.transaction_id !== void 0) {
                  let data1 = data0.transaction_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern61.test(data1)) {
                        validate91.errors = [{ instancePath: instancePath + "/path/transaction_id", schemaPath: "contract#/definitions/TransactionId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?4[0-9a-fA-F]{3}-?[89abAB][0-9a-fA-F]{3}-?[0-9a-fA-F]{12}$" } }];
                        return false;
                      }
                    } else {
                      validate91.errors = [{ instancePath: instancePath + "/path/transaction_id", schemaPath: "contract#/definitions/TransactionId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate91.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate91.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  let missing2;
                  if (data3["x-origin-server"] === void 0 && (missing2 = "x-origin-server")) {
                    validate91.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing2 } }];
                    return false;
                  } else {
                    if (data3["x-origin-server"] !== void 0) {
                      let data4 = data3["x-origin-server"];
                      const _errs10 = errors;
                      if (errors === _errs10) {
                        if (typeof data4 === "string") {
                          if (data4.length > 259) {
                            validate91.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                            return false;
                          } else {
                            if (data4.length < 1) {
                              validate91.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/minLength", keyword: "minLength", params: { limit: 1 } }];
                              return false;
                            }
                          }
                        } else {
                          validate91.errors = [{ instancePath: instancePath + "/header/x-origin-server", schemaPath: "#/properties/header/properties/x-origin-server/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                    }
                  }
                } else {
                  validate91.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate91.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate91.errors = vErrors;
  return errors === 0;
}
validate91.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistAdminSessionsParameters = validate92;
function validate92(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate92.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate92.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate92.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (!(data1 && typeof data1 == "object" && !Array.isArray(data1))) {
                validate92.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data2 = data.header;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                  if (data2["if-none-match"] !== void 0) {
                    let data3 = data2["if-none-match"];
                    const _errs7 = errors;
                    if (errors === _errs7) {
                      if (typeof data3 === "string") {
                        if (data3.length > 4096) {
                          validate92.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate92.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate92.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate92.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate92.errors = vErrors;
  return errors === 0;
}
validate92.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsendAdminSessionParameters = validate93;
var pattern107 = func0("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", "u");
function validate93(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate93.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate93.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.session_id === void 0 && (missing1 = "session_id")) {
                validate93.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.session_id !== void 0) {
                  let data1 = data0.session_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern107.test(data1)) {
                        validate93.errors = [{ instancePath: instancePath + "/path/session_id", schemaPath: "contract#/definitions/UuidV4/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$" } }];
                        return false;
                      }
                    } else {
                      validate93.errors = [{ instancePath: instancePath + "/path/session_id", schemaPath: "contract#/definitions/UuidV4/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate93.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate93.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate93.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate93.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate93.errors = vErrors;
  return errors === 0;
}
validate93.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetConfigParameters = validate94;
function validate94(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate94.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate94.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate94.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (!(data1 && typeof data1 == "object" && !Array.isArray(data1))) {
                validate94.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data2 = data.header;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                  if (data2["if-none-match"] !== void 0) {
                    let data3 = data2["if-none-match"];
                    const _errs7 = errors;
                    if (errors === _errs7) {
                      if (typeof data3 === "string") {
                        if (data3.length > 4096) {
                          validate94.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate94.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate94.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate94.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate94.errors = vErrors;
  return errors === 0;
}
validate94.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsdeleteVerificationParameters = validate95;
function validate95(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate95.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate95.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.device_id === void 0 && (missing1 = "device_id")) {
                validate95.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.device_id !== void 0) {
                  let data1 = data0.device_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate95.errors = [{ instancePath: instancePath + "/path/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate95.errors = [{ instancePath: instancePath + "/path/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate95.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate95.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate95.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate95.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate95.errors = vErrors;
  return errors === 0;
}
validate95.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistPendingDevicesParameters = validate96;
function validate96(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate96.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate96.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate96.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.min_age_hours === void 0) {
                  data1.min_age_hours = 0;
                }
                if (data1.max_age_hours === void 0) {
                  data1.max_age_hours = 24;
                }
                if (data1.min_messages === void 0) {
                  data1.min_messages = 10;
                }
                if (data1.max_spam_reports === void 0) {
                  data1.max_spam_reports = 0;
                }
                if (data1.limit === void 0) {
                  data1.limit = 2e3;
                }
                let data2 = data1.min_age_hours;
                const _errs5 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate96.errors = [{ instancePath: instancePath + "/query/min_age_hours", schemaPath: "#/properties/query/properties/min_age_hours/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs5) {
                  if (typeof data2 == "number") {
                    if (data2 > 87600 || isNaN(data2)) {
                      validate96.errors = [{ instancePath: instancePath + "/query/min_age_hours", schemaPath: "#/properties/query/properties/min_age_hours/maximum", keyword: "maximum", params: { comparison: "<=", limit: 87600 } }];
                      return false;
                    } else {
                      if (data2 < 0 || isNaN(data2)) {
                        validate96.errors = [{ instancePath: instancePath + "/query/min_age_hours", schemaPath: "#/properties/query/properties/min_age_hours/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid1 = _errs5 === errors;
                if (valid1) {
                  let data3 = data1.max_age_hours;
                  const _errs7 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                    validate96.errors = [{ instancePath: instancePath + "/query/max_age_hours", schemaPath: "#/properties/query/properties/max_age_hours/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs7) {
                    if (typeof data3 == "number") {
                      if (data3 > 87600 || isNaN(data3)) {
                        validate96.errors = [{ instancePath: instancePath + "/query/max_age_hours", schemaPath: "#/properties/query/properties/max_age_hours/maximum", keyword: "maximum", params: { comparison: "<=", limit: 87600 } }];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate96.errors = [{ instancePath: instancePath + "/query/max_age_hours", schemaPath: "#/properties/query/properties/max_age_hours/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid1 = _errs7 === errors;
                  if (valid1) {
                    let data4 = data1.min_messages;
                    const _errs9 = errors;
                    if (!(typeof data4 == "number" && (!(data4 % 1) && !isNaN(data4)))) {
                      validate96.errors = [{ instancePath: instancePath + "/query/min_messages", schemaPath: "#/properties/query/properties/min_messages/type", keyword: "type", params: { type: "integer" } }];
                      return false;
                    }
                    if (errors === _errs9) {
                      if (typeof data4 == "number") {
                        if (data4 > 9007199254740991 || isNaN(data4)) {
                          validate96.errors = [{ instancePath: instancePath + "/query/min_messages", schemaPath: "#/properties/query/properties/min_messages/maximum", keyword: "maximum", params: { comparison: "<=", limit: 9007199254740991 } }];
                          return false;
                        } else {
                          if (data4 < 0 || isNaN(data4)) {
                            validate96.errors = [{ instancePath: instancePath + "/query/min_messages", schemaPath: "#/properties/query/properties/min_messages/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid1 = _errs9 === errors;
                    if (valid1) {
                      let data5 = data1.max_spam_reports;
                      const _errs11 = errors;
                      if (!(typeof data5 == "number" && (!(data5 % 1) && !isNaN(data5)))) {
                        validate96.errors = [{ instancePath: instancePath + "/query/max_spam_reports", schemaPath: "#/properties/query/properties/max_spam_reports/type", keyword: "type", params: { type: "integer" } }];
                        return false;
                      }
                      if (errors === _errs11) {
                        if (typeof data5 == "number") {
                          if (data5 > 1e9 || isNaN(data5)) {
                            validate96.errors = [{ instancePath: instancePath + "/query/max_spam_reports", schemaPath: "#/properties/query/properties/max_spam_reports/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e9 } }];
                            return false;
                          } else {
                            if (data5 < 0 || isNaN(data5)) {
                              validate96.errors = [{ instancePath: instancePath + "/query/max_spam_reports", schemaPath: "#/properties/query/properties/max_spam_reports/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                              return false;
                            }
                          }
                        }
                      }
                      var valid1 = _errs11 === errors;
                      if (valid1) {
                        let data6 = data1.limit;
                        const _errs13 = errors;
                        if (!(typeof data6 == "number" && (!(data6 % 1) && !isNaN(data6)))) {
                          validate96.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/type", keyword: "type", params: { type: "integer" } }];
                          return false;
                        }
                        if (errors === _errs13) {
                          if (typeof data6 == "number") {
                            if (data6 > 2e3 || isNaN(data6)) {
                              validate96.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 2e3 } }];
                              return false;
                            } else {
                              if (data6 < 1 || isNaN(data6)) {
                                validate96.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid1 = _errs13 === errors;
                      }
                    }
                  }
                }
              } else {
                validate96.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data7 = data.header;
              const _errs15 = errors;
              if (errors === _errs15) {
                if (data7 && typeof data7 == "object" && !Array.isArray(data7)) {
                  if (data7["if-none-match"] !== void 0) {
                    let data8 = data7["if-none-match"];
                    const _errs17 = errors;
                    if (errors === _errs17) {
                      if (typeof data8 === "string") {
                        if (data8.length > 4096) {
                          validate96.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate96.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate96.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs15 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate96.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate96.errors = vErrors;
  return errors === 0;
}
validate96.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistDevicesParameters = validate97;
var schema241 = { "type": "object", "required": ["path", "query", "header"], "properties": { "path": { "type": "object", "required": [], "properties": {} }, "query": { "type": "object", "required": [], "properties": { "address": { "$ref": "contract#/definitions/Address" }, "id_prefix": { "type": "string", "pattern": "^[0-9a-f]{1,64}$" }, "state": { "type": "string", "enum": ["any", "blocked", "verified", "unverified"], "default": "any" }, "sort": { "type": "string", "enum": ["last_active", "-last_active", "registered_at", "-registered_at"], "default": "-last_active" }, "limit": { "type": "integer", "format": "int64", "minimum": 1, "maximum": 1e3, "default": 100 }, "offset": { "type": "integer", "format": "int64", "minimum": 0, "maximum": 1e6, "default": 0 } } }, "header": { "type": "object", "required": [], "properties": { "if-none-match": { "type": "string", "maxLength": 4096 } } } } };
var pattern110 = func0("^[0-9a-f]{1,64}$", "u");
function validate97(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate97.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate97.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate97.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.state === void 0) {
                  data1.state = "any";
                }
                if (data1.sort === void 0) {
                  data1.sort = "-last_active";
                }
                if (data1.limit === void 0) {
                  data1.limit = 100;
                }
                if (data1.offset === void 0) {
                  data1.offset = 0;
                }
                if (data1.address !== void 0) {
                  let data2 = data1.address;
                  const _errs5 = errors;
                  const _errs6 = errors;
                  if (errors === _errs6) {
                    if (typeof data2 === "string") {
                      if (data2.length > 296) {
                        validate97.errors = [{ instancePath: instancePath + "/query/address", schemaPath: "contract#/definitions/Address/maxLength", keyword: "maxLength", params: { limit: 296 } }];
                        return false;
                      } else {
                        if (data2.length < 34) {
                          validate97.errors = [{ instancePath: instancePath + "/query/address", schemaPath: "contract#/definitions/Address/minLength", keyword: "minLength", params: { limit: 34 } }];
                          return false;
                        } else {
                          if (!pattern23.test(data2)) {
                            validate97.errors = [{ instancePath: instancePath + "/query/address", schemaPath: "contract#/definitions/Address/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate97.errors = [{ instancePath: instancePath + "/query/address", schemaPath: "contract#/definitions/Address/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                  var valid1 = _errs5 === errors;
                } else {
                  var valid1 = true;
                }
                if (valid1) {
                  if (data1.id_prefix !== void 0) {
                    let data3 = data1.id_prefix;
                    const _errs8 = errors;
                    if (errors === _errs8) {
                      if (typeof data3 === "string") {
                        if (!pattern110.test(data3)) {
                          validate97.errors = [{ instancePath: instancePath + "/query/id_prefix", schemaPath: "#/properties/query/properties/id_prefix/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{1,64}$" } }];
                          return false;
                        }
                      } else {
                        validate97.errors = [{ instancePath: instancePath + "/query/id_prefix", schemaPath: "#/properties/query/properties/id_prefix/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                    var valid1 = _errs8 === errors;
                  } else {
                    var valid1 = true;
                  }
                  if (valid1) {
                    let data4 = data1.state;
                    const _errs10 = errors;
                    if (typeof data4 !== "string") {
                      validate97.errors = [{ instancePath: instancePath + "/query/state", schemaPath: "#/properties/query/properties/state/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                    if (!(data4 === "any" || data4 === "blocked" || data4 === "verified" || data4 === "unverified")) {
                      validate97.errors = [{ instancePath: instancePath + "/query/state", schemaPath: "#/properties/query/properties/state/enum", keyword: "enum", params: { allowedValues: schema241.properties.query.properties.state.enum } }];
                      return false;
                    }
                    var valid1 = _errs10 === errors;
                    if (valid1) {
                      let data5 = data1.sort;
                      const _errs12 = errors;
                      if (typeof data5 !== "string") {
                        validate97.errors = [{ instancePath: instancePath + "/query/sort", schemaPath: "#/properties/query/properties/sort/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                      if (!(data5 === "last_active" || data5 === "-last_active" || data5 === "registered_at" || data5 === "-registered_at")) {
                        validate97.errors = [{ instancePath: instancePath + "/query/sort", schemaPath: "#/properties/query/properties/sort/enum", keyword: "enum", params: { allowedValues: schema241.properties.query.properties.sort.enum } }];
                        return false;
                      }
                      var valid1 = _errs12 === errors;
                      if (valid1) {
                        let data6 = data1.limit;
                        const _errs14 = errors;
                        if (!(typeof data6 == "number" && (!(data6 % 1) && !isNaN(data6)))) {
                          validate97.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/type", keyword: "type", params: { type: "integer" } }];
                          return false;
                        }
                        if (errors === _errs14) {
                          if (typeof data6 == "number") {
                            if (data6 > 1e3 || isNaN(data6)) {
                              validate97.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                              return false;
                            } else {
                              if (data6 < 1 || isNaN(data6)) {
                                validate97.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                return false;
                              }
                            }
                          }
                        }
                        var valid1 = _errs14 === errors;
                        if (valid1) {
                          let data7 = data1.offset;
                          const _errs16 = errors;
                          if (!(typeof data7 == "number" && (!(data7 % 1) && !isNaN(data7)))) {
                            validate97.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/type", keyword: "type", params: { type: "integer" } }];
                            return false;
                          }
                          if (errors === _errs16) {
                            if (typeof data7 == "number") {
                              if (data7 > 1e6 || isNaN(data7)) {
                                validate97.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                                return false;
                              } else {
                                if (data7 < 0 || isNaN(data7)) {
                                  validate97.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                                  return false;
                                }
                              }
                            }
                          }
                          var valid1 = _errs16 === errors;
                        }
                      }
                    }
                  }
                }
              } else {
                validate97.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data8 = data.header;
              const _errs18 = errors;
              if (errors === _errs18) {
                if (data8 && typeof data8 == "object" && !Array.isArray(data8)) {
                  if (data8["if-none-match"] !== void 0) {
                    let data9 = data8["if-none-match"];
                    const _errs20 = errors;
                    if (errors === _errs20) {
                      if (typeof data9 === "string") {
                        if (data9.length > 4096) {
                          validate97.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate97.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate97.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs18 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate97.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate97.errors = vErrors;
  return errors === 0;
}
validate97.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetDeviceParameters = validate98;
function validate98(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate98.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate98.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.device_id === void 0 && (missing1 = "device_id")) {
                validate98.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.device_id !== void 0) {
                  let data1 = data0.device_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate98.errors = [{ instancePath: instancePath + "/path/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate98.errors = [{ instancePath: instancePath + "/path/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate98.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate98.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  if (data3["if-none-match"] !== void 0) {
                    let data4 = data3["if-none-match"];
                    const _errs10 = errors;
                    if (errors === _errs10) {
                      if (typeof data4 === "string") {
                        if (data4.length > 4096) {
                          validate98.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate98.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate98.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate98.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate98.errors = vErrors;
  return errors === 0;
}
validate98.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsdeleteDeviceParameters = validate99;
function validate99(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate99.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate99.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.device_id === void 0 && (missing1 = "device_id")) {
                validate99.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.device_id !== void 0) {
                  let data1 = data0.device_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate99.errors = [{ instancePath: instancePath + "/path/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate99.errors = [{ instancePath: instancePath + "/path/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate99.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate99.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate99.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate99.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate99.errors = vErrors;
  return errors === 0;
}
validate99.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptstestDevicePushParameters = validate100;
function validate100(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate100.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate100.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.device_id === void 0 && (missing1 = "device_id")) {
                validate100.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.device_id !== void 0) {
                  let data1 = data0.device_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate100.errors = [{ instancePath: instancePath + "/path/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate100.errors = [{ instancePath: instancePath + "/path/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate100.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate100.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate100.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate100.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate100.errors = vErrors;
  return errors === 0;
}
validate100.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsblockDeviceParameters = validate101;
function validate101(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate101.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate101.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.device_id === void 0 && (missing1 = "device_id")) {
                validate101.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.device_id !== void 0) {
                  let data1 = data0.device_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate101.errors = [{ instancePath: instancePath + "/path/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate101.errors = [{ instancePath: instancePath + "/path/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate101.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate101.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate101.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate101.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate101.errors = vErrors;
  return errors === 0;
}
validate101.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsunblockServerParameters = validate102;
function validate102(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate102.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate102.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.server_domain === void 0 && (missing1 = "server_domain")) {
                validate102.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.server_domain !== void 0) {
                  let data1 = data0.server_domain;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (data1.length > 259) {
                        validate102.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                        return false;
                      } else {
                        if (data1.length < 1) {
                          validate102.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        } else {
                          if (!pattern36.test(data1)) {
                            validate102.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate102.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate102.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate102.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate102.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate102.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate102.errors = vErrors;
  return errors === 0;
}
validate102.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistBlockedServersParameters = validate103;
function validate103(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate103.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate103.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate103.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.limit === void 0) {
                  data1.limit = 1e4;
                }
                if (data1.offset === void 0) {
                  data1.offset = 0;
                }
                let data2 = data1.limit;
                const _errs5 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate103.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs5) {
                  if (typeof data2 == "number") {
                    if (data2 > 1e4 || isNaN(data2)) {
                      validate103.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e4 } }];
                      return false;
                    } else {
                      if (data2 < 1 || isNaN(data2)) {
                        validate103.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid1 = _errs5 === errors;
                if (valid1) {
                  let data3 = data1.offset;
                  const _errs7 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                    validate103.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs7) {
                    if (typeof data3 == "number") {
                      if (data3 > 1e6 || isNaN(data3)) {
                        validate103.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate103.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid1 = _errs7 === errors;
                }
              } else {
                validate103.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data4 = data.header;
              const _errs9 = errors;
              if (errors === _errs9) {
                if (data4 && typeof data4 == "object" && !Array.isArray(data4)) {
                  if (data4["if-none-match"] !== void 0) {
                    let data5 = data4["if-none-match"];
                    const _errs11 = errors;
                    if (errors === _errs11) {
                      if (typeof data5 === "string") {
                        if (data5.length > 4096) {
                          validate103.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate103.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate103.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs9 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate103.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate103.errors = vErrors;
  return errors === 0;
}
validate103.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetServerReputationParameters = validate104;
function validate104(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate104.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate104.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.server_domain === void 0 && (missing1 = "server_domain")) {
                validate104.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.server_domain !== void 0) {
                  let data1 = data0.server_domain;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (data1.length > 259) {
                        validate104.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                        return false;
                      } else {
                        if (data1.length < 1) {
                          validate104.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        } else {
                          if (!pattern36.test(data1)) {
                            validate104.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate104.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate104.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate104.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  if (data3["if-none-match"] !== void 0) {
                    let data4 = data3["if-none-match"];
                    const _errs10 = errors;
                    if (errors === _errs10) {
                      if (typeof data4 === "string") {
                        if (data4.length > 4096) {
                          validate104.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate104.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate104.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate104.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate104.errors = vErrors;
  return errors === 0;
}
validate104.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistPeersParameters = validate105;
function validate105(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate105.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate105.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate105.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.limit === void 0) {
                  data1.limit = 50;
                }
                if (data1.offset === void 0) {
                  data1.offset = 0;
                }
                let data2 = data1.limit;
                const _errs5 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate105.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs5) {
                  if (typeof data2 == "number") {
                    if (data2 > 200 || isNaN(data2)) {
                      validate105.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 200 } }];
                      return false;
                    } else {
                      if (data2 < 1 || isNaN(data2)) {
                        validate105.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid1 = _errs5 === errors;
                if (valid1) {
                  let data3 = data1.offset;
                  const _errs7 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                    validate105.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs7) {
                    if (typeof data3 == "number") {
                      if (data3 > 1e6 || isNaN(data3)) {
                        validate105.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate105.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid1 = _errs7 === errors;
                }
              } else {
                validate105.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data4 = data.header;
              const _errs9 = errors;
              if (errors === _errs9) {
                if (data4 && typeof data4 == "object" && !Array.isArray(data4)) {
                  if (data4["if-none-match"] !== void 0) {
                    let data5 = data4["if-none-match"];
                    const _errs11 = errors;
                    if (errors === _errs11) {
                      if (typeof data5 === "string") {
                        if (data5.length > 4096) {
                          validate105.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate105.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate105.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs9 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate105.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate105.errors = vErrors;
  return errors === 0;
}
validate105.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistPeerBlocklistsParameters = validate106;
function validate106(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate106.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate106.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate106.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.limit === void 0) {
                  data1.limit = 100;
                }
                if (data1.offset === void 0) {
                  data1.offset = 0;
                }
                let data2 = data1.limit;
                const _errs5 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate106.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs5) {
                  if (typeof data2 == "number") {
                    if (data2 > 1e3 || isNaN(data2)) {
                      validate106.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                      return false;
                    } else {
                      if (data2 < 1 || isNaN(data2)) {
                        validate106.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid1 = _errs5 === errors;
                if (valid1) {
                  let data3 = data1.offset;
                  const _errs7 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                    validate106.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs7) {
                    if (typeof data3 == "number") {
                      if (data3 > 1e6 || isNaN(data3)) {
                        validate106.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate106.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid1 = _errs7 === errors;
                }
              } else {
                validate106.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data4 = data.header;
              const _errs9 = errors;
              if (errors === _errs9) {
                if (data4 && typeof data4 == "object" && !Array.isArray(data4)) {
                  if (data4["if-none-match"] !== void 0) {
                    let data5 = data4["if-none-match"];
                    const _errs11 = errors;
                    if (errors === _errs11) {
                      if (typeof data5 === "string") {
                        if (data5.length > 4096) {
                          validate106.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate106.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate106.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs9 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate106.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate106.errors = vErrors;
  return errors === 0;
}
validate106.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetPeerBlocklistParameters = validate107;
function validate107(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate107.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate107.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.server_domain === void 0 && (missing1 = "server_domain")) {
                validate107.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.server_domain !== void 0) {
                  let data1 = data0.server_domain;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (data1.length > 259) {
                        validate107.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                        return false;
                      } else {
                        if (data1.length < 1) {
                          validate107.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        } else {
                          if (!pattern36.test(data1)) {
                            validate107.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate107.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate107.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate107.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  if (data3["if-none-match"] !== void 0) {
                    let data4 = data3["if-none-match"];
                    const _errs10 = errors;
                    if (errors === _errs10) {
                      if (typeof data4 === "string") {
                        if (data4.length > 4096) {
                          validate107.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate107.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate107.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate107.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate107.errors = vErrors;
  return errors === 0;
}
validate107.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetFederationPolicyParameters = validate108;
function validate108(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate108.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate108.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate108.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (!(data1 && typeof data1 == "object" && !Array.isArray(data1))) {
                validate108.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data2 = data.header;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                  if (data2["if-none-match"] !== void 0) {
                    let data3 = data2["if-none-match"];
                    const _errs7 = errors;
                    if (errors === _errs7) {
                      if (typeof data3 === "string") {
                        if (data3.length > 4096) {
                          validate108.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate108.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate108.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate108.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate108.errors = vErrors;
  return errors === 0;
}
validate108.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistOutboxBacklogsParameters = validate109;
function validate109(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate109.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate109.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate109.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.limit === void 0) {
                  data1.limit = 100;
                }
                let data2 = data1.limit;
                const _errs5 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate109.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs5) {
                  if (typeof data2 == "number") {
                    if (data2 > 1e3 || isNaN(data2)) {
                      validate109.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                      return false;
                    } else {
                      if (data2 < 1 || isNaN(data2)) {
                        validate109.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                        return false;
                      }
                    }
                  }
                }
              } else {
                validate109.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs7 = errors;
              if (errors === _errs7) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  if (data3["if-none-match"] !== void 0) {
                    let data4 = data3["if-none-match"];
                    const _errs9 = errors;
                    if (errors === _errs9) {
                      if (typeof data4 === "string") {
                        if (data4.length > 4096) {
                          validate109.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate109.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate109.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs7 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate109.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate109.errors = vErrors;
  return errors === 0;
}
validate109.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsretryOutboxParameters = validate110;
function validate110(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate110.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate110.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.server_domain === void 0 && (missing1 = "server_domain")) {
                validate110.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.server_domain !== void 0) {
                  let data1 = data0.server_domain;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (data1.length > 259) {
                        validate110.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                        return false;
                      } else {
                        if (data1.length < 1) {
                          validate110.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        } else {
                          if (!pattern36.test(data1)) {
                            validate110.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate110.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate110.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate110.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate110.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate110.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate110.errors = vErrors;
  return errors === 0;
}
validate110.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptspurgeOutboxParameters = validate111;
function validate111(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate111.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate111.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.server_domain === void 0 && (missing1 = "server_domain")) {
                validate111.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.server_domain !== void 0) {
                  let data1 = data0.server_domain;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (data1.length > 259) {
                        validate111.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/maxLength", keyword: "maxLength", params: { limit: 259 } }];
                        return false;
                      } else {
                        if (data1.length < 1) {
                          validate111.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/minLength", keyword: "minLength", params: { limit: 1 } }];
                          return false;
                        } else {
                          if (!pattern36.test(data1)) {
                            validate111.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/pattern", keyword: "pattern", params: { pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate111.errors = [{ instancePath: instancePath + "/path/server_domain", schemaPath: "contract#/definitions/Domain/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate111.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate111.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate111.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate111.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate111.errors = vErrors;
  return errors === 0;
}
validate111.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistInvitesParameters = validate112;
function validate112(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate112.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate112.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate112.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.limit === void 0) {
                  data1.limit = 100;
                }
                if (data1.offset === void 0) {
                  data1.offset = 0;
                }
                let data2 = data1.limit;
                const _errs5 = errors;
                if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                  validate112.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/type", keyword: "type", params: { type: "integer" } }];
                  return false;
                }
                if (errors === _errs5) {
                  if (typeof data2 == "number") {
                    if (data2 > 1e3 || isNaN(data2)) {
                      validate112.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                      return false;
                    } else {
                      if (data2 < 1 || isNaN(data2)) {
                        validate112.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                        return false;
                      }
                    }
                  }
                }
                var valid1 = _errs5 === errors;
                if (valid1) {
                  let data3 = data1.offset;
                  const _errs7 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                    validate112.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs7) {
                    if (typeof data3 == "number") {
                      if (data3 > 1e6 || isNaN(data3)) {
                        validate112.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e6 } }];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate112.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid1 = _errs7 === errors;
                }
              } else {
                validate112.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data4 = data.header;
              const _errs9 = errors;
              if (errors === _errs9) {
                if (data4 && typeof data4 == "object" && !Array.isArray(data4)) {
                  if (data4["if-none-match"] !== void 0) {
                    let data5 = data4["if-none-match"];
                    const _errs11 = errors;
                    if (errors === _errs11) {
                      if (typeof data5 === "string") {
                        if (data5.length > 4096) {
                          validate112.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate112.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate112.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs9 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate112.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate112.errors = vErrors;
  return errors === 0;
}
validate112.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsrevokeInviteParameters = validate113;
function validate113(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate113.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate113.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.invite_id === void 0 && (missing1 = "invite_id")) {
                validate113.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.invite_id !== void 0) {
                  let data1 = data0.invite_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern107.test(data1)) {
                        validate113.errors = [{ instancePath: instancePath + "/path/invite_id", schemaPath: "contract#/definitions/UuidV4/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$" } }];
                        return false;
                      }
                    } else {
                      validate113.errors = [{ instancePath: instancePath + "/path/invite_id", schemaPath: "contract#/definitions/UuidV4/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate113.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate113.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate113.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate113.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate113.errors = vErrors;
  return errors === 0;
}
validate113.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetInfoPackageParameters = validate114;
var pattern121 = func0("^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$", "u");
function validate114(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate114.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate114.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.url_segment === void 0 && (missing1 = "url_segment")) {
                validate114.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.url_segment !== void 0) {
                  let data1 = data0.url_segment;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern121.test(data1)) {
                        validate114.errors = [{ instancePath: instancePath + "/path/url_segment", schemaPath: "contract#/definitions/UuidSegment/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$" } }];
                        return false;
                      }
                    } else {
                      validate114.errors = [{ instancePath: instancePath + "/path/url_segment", schemaPath: "contract#/definitions/UuidSegment/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate114.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate114.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  if (data3["x-download-id"] !== void 0) {
                    let data4 = data3["x-download-id"];
                    const _errs10 = errors;
                    if (errors === _errs10) {
                      if (typeof data4 === "string") {
                        if (!pattern95.test(data4)) {
                          validate114.errors = [{ instancePath: instancePath + "/header/x-download-id", schemaPath: "#/properties/header/properties/x-download-id/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{32}$" } }];
                          return false;
                        }
                      } else {
                        validate114.errors = [{ instancePath: instancePath + "/header/x-download-id", schemaPath: "#/properties/header/properties/x-download-id/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate114.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate114.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate114.errors = vErrors;
  return errors === 0;
}
validate114.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsrevokeInfoPackageParameters = validate115;
function validate115(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate115.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate115.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.url_segment === void 0 && (missing1 = "url_segment")) {
                validate115.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.url_segment !== void 0) {
                  let data1 = data0.url_segment;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern121.test(data1)) {
                        validate115.errors = [{ instancePath: instancePath + "/path/url_segment", schemaPath: "contract#/definitions/UuidSegment/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$" } }];
                        return false;
                      }
                    } else {
                      validate115.errors = [{ instancePath: instancePath + "/path/url_segment", schemaPath: "contract#/definitions/UuidSegment/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate115.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate115.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate115.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate115.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate115.errors = vErrors;
  return errors === 0;
}
validate115.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetRevocableInfoPackageParameters = validate116;
function validate116(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate116.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate116.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.segment === void 0 && (missing1 = "segment")) {
                validate116.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.segment !== void 0) {
                  let data1 = data0.segment;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern95.test(data1)) {
                        validate116.errors = [{ instancePath: instancePath + "/path/segment", schemaPath: "contract#/definitions/HexSegment/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{32}$" } }];
                        return false;
                      }
                    } else {
                      validate116.errors = [{ instancePath: instancePath + "/path/segment", schemaPath: "contract#/definitions/HexSegment/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate116.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate116.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  if (data3["x-download-id"] !== void 0) {
                    let data4 = data3["x-download-id"];
                    const _errs10 = errors;
                    if (errors === _errs10) {
                      if (typeof data4 === "string") {
                        if (!pattern95.test(data4)) {
                          validate116.errors = [{ instancePath: instancePath + "/header/x-download-id", schemaPath: "#/properties/header/properties/x-download-id/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{32}$" } }];
                          return false;
                        }
                      } else {
                        validate116.errors = [{ instancePath: instancePath + "/header/x-download-id", schemaPath: "#/properties/header/properties/x-download-id/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate116.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate116.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate116.errors = vErrors;
  return errors === 0;
}
validate116.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsrevokeRevocableInfoPackageParameters = validate117;
function validate117(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate117.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate117.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.segment === void 0 && (missing1 = "segment")) {
                validate117.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.segment !== void 0) {
                  let data1 = data0.segment;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern95.test(data1)) {
                        validate117.errors = [{ instancePath: instancePath + "/path/segment", schemaPath: "contract#/definitions/HexSegment/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{32}$" } }];
                        return false;
                      }
                    } else {
                      validate117.errors = [{ instancePath: instancePath + "/path/segment", schemaPath: "contract#/definitions/HexSegment/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate117.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate117.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  let missing2;
                  if (data3["x-revocation-token"] === void 0 && (missing2 = "x-revocation-token")) {
                    validate117.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing2 } }];
                    return false;
                  } else {
                    if (data3["x-revocation-token"] !== void 0) {
                      let data4 = data3["x-revocation-token"];
                      const _errs11 = errors;
                      if (errors === _errs11) {
                        if (typeof data4 === "string") {
                          if (!pattern4.test(data4)) {
                            validate117.errors = [{ instancePath: instancePath + "/header/x-revocation-token", schemaPath: "contract#/definitions/RevocationToken/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                            return false;
                          }
                        } else {
                          validate117.errors = [{ instancePath: instancePath + "/header/x-revocation-token", schemaPath: "contract#/definitions/RevocationToken/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                    }
                  }
                } else {
                  validate117.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate117.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate117.errors = vErrors;
  return errors === 0;
}
validate117.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetPlainInfoPackageParameters = validate118;
function validate118(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate118.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate118.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.url_segment === void 0 && (missing1 = "url_segment")) {
                validate118.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.url_segment !== void 0) {
                  let data1 = data0.url_segment;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern95.test(data1)) {
                        validate118.errors = [{ instancePath: instancePath + "/path/url_segment", schemaPath: "contract#/definitions/HexSegment/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{32}$" } }];
                        return false;
                      }
                    } else {
                      validate118.errors = [{ instancePath: instancePath + "/path/url_segment", schemaPath: "contract#/definitions/HexSegment/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate118.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate118.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  if (data3["x-download-id"] !== void 0) {
                    let data4 = data3["x-download-id"];
                    const _errs10 = errors;
                    if (errors === _errs10) {
                      if (typeof data4 === "string") {
                        if (!pattern95.test(data4)) {
                          validate118.errors = [{ instancePath: instancePath + "/header/x-download-id", schemaPath: "#/properties/header/properties/x-download-id/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{32}$" } }];
                          return false;
                        }
                      } else {
                        validate118.errors = [{ instancePath: instancePath + "/header/x-download-id", schemaPath: "#/properties/header/properties/x-download-id/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate118.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate118.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate118.errors = vErrors;
  return errors === 0;
}
validate118.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsrevokePlainInfoPackageParameters = validate119;
function validate119(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate119.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate119.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.url_segment === void 0 && (missing1 = "url_segment")) {
                validate119.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.url_segment !== void 0) {
                  let data1 = data0.url_segment;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern95.test(data1)) {
                        validate119.errors = [{ instancePath: instancePath + "/path/url_segment", schemaPath: "contract#/definitions/HexSegment/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{32}$" } }];
                        return false;
                      }
                    } else {
                      validate119.errors = [{ instancePath: instancePath + "/path/url_segment", schemaPath: "contract#/definitions/HexSegment/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate119.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate119.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate119.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate119.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate119.errors = vErrors;
  return errors === 0;
}
validate119.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsfetchKeyPackageParameters = validate120;
function validate120(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate120.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate120.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate120.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                let missing1;
                if (data1.device_id === void 0 && (missing1 = "device_id")) {
                  validate120.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/required", keyword: "required", params: { missingProperty: missing1 } }];
                  return false;
                } else {
                  if (data1.device_id !== void 0) {
                    let data2 = data1.device_id;
                    const _errs6 = errors;
                    if (errors === _errs6) {
                      if (typeof data2 === "string") {
                        if (!pattern4.test(data2)) {
                          validate120.errors = [{ instancePath: instancePath + "/query/device_id", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                          return false;
                        }
                      } else {
                        validate120.errors = [{ instancePath: instancePath + "/query/device_id", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                }
              } else {
                validate120.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  if (data3["x-claim-id"] !== void 0) {
                    let data4 = data3["x-claim-id"];
                    const _errs11 = errors;
                    if (errors === _errs11) {
                      if (typeof data4 === "string") {
                        if (!pattern4.test(data4)) {
                          validate120.errors = [{ instancePath: instancePath + "/header/x-claim-id", schemaPath: "contract#/definitions/ClaimId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                          return false;
                        }
                      } else {
                        validate120.errors = [{ instancePath: instancePath + "/header/x-claim-id", schemaPath: "contract#/definitions/ClaimId/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate120.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate120.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate120.errors = vErrors;
  return errors === 0;
}
validate120.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetKeyPackageStatusParameters = validate121;
function validate121(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate121.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate121.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate121.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.address !== void 0) {
                  let data2 = data1.address;
                  const _errs6 = errors;
                  if (errors === _errs6) {
                    if (typeof data2 === "string") {
                      if (data2.length > 296) {
                        validate121.errors = [{ instancePath: instancePath + "/query/address", schemaPath: "contract#/definitions/Address/maxLength", keyword: "maxLength", params: { limit: 296 } }];
                        return false;
                      } else {
                        if (data2.length < 34) {
                          validate121.errors = [{ instancePath: instancePath + "/query/address", schemaPath: "contract#/definitions/Address/minLength", keyword: "minLength", params: { limit: 34 } }];
                          return false;
                        } else {
                          if (!pattern23.test(data2)) {
                            validate121.errors = [{ instancePath: instancePath + "/query/address", schemaPath: "contract#/definitions/Address/pattern", keyword: "pattern", params: { pattern: "^(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\\.?(?::[0-9]{1,5})?$" } }];
                            return false;
                          }
                        }
                      }
                    } else {
                      validate121.errors = [{ instancePath: instancePath + "/query/address", schemaPath: "contract#/definitions/Address/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              } else {
                validate121.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate121.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate121.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate121.errors = vErrors;
  return errors === 0;
}
validate121.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptscreateLinkingCodeParameters = validate122;
var pattern134 = func0("^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}(?:@[A-Za-z0-9.:-]{1,259})?$", "u");
function validate122(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate122.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate122.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.id === void 0 && (missing1 = "id")) {
                validate122.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.id !== void 0) {
                  let data1 = data0.id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern134.test(data1)) {
                        validate122.errors = [{ instancePath: instancePath + "/path/id", schemaPath: "contract#/definitions/ProvisioningId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}(?:@[A-Za-z0-9.:-]{1,259})?$" } }];
                        return false;
                      }
                    } else {
                      validate122.errors = [{ instancePath: instancePath + "/path/id", schemaPath: "contract#/definitions/ProvisioningId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate122.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate122.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  let missing2;
                  if (data3["x-poll-token"] === void 0 && (missing2 = "x-poll-token")) {
                    validate122.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing2 } }];
                    return false;
                  } else {
                    if (data3["x-poll-token"] !== void 0) {
                      let data4 = data3["x-poll-token"];
                      const _errs11 = errors;
                      if (errors === _errs11) {
                        if (typeof data4 === "string") {
                          if (!pattern4.test(data4)) {
                            validate122.errors = [{ instancePath: instancePath + "/header/x-poll-token", schemaPath: "contract#/definitions/PollToken/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                            return false;
                          }
                        } else {
                          validate122.errors = [{ instancePath: instancePath + "/header/x-poll-token", schemaPath: "contract#/definitions/PollToken/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                    }
                  }
                } else {
                  validate122.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate122.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate122.errors = vErrors;
  return errors === 0;
}
validate122.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetLinkingCodeParameters = validate123;
var pattern136 = func0("^[0-9A-HJKMNP-TV-Z]{8}$", "u");
function validate123(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate123.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate123.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.code === void 0 && (missing1 = "code")) {
                validate123.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.code !== void 0) {
                  let data1 = data0.code;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern136.test(data1)) {
                        validate123.errors = [{ instancePath: instancePath + "/path/code", schemaPath: "contract#/definitions/LinkingCode/pattern", keyword: "pattern", params: { pattern: "^[0-9A-HJKMNP-TV-Z]{8}$" } }];
                        return false;
                      }
                    } else {
                      validate123.errors = [{ instancePath: instancePath + "/path/code", schemaPath: "contract#/definitions/LinkingCode/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate123.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate123.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate123.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate123.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate123.errors = vErrors;
  return errors === 0;
}
validate123.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsputProvisioningBlobParameters = validate124;
function validate124(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate124.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate124.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.id === void 0 && (missing1 = "id")) {
                validate124.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.id !== void 0) {
                  let data1 = data0.id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern134.test(data1)) {
                        validate124.errors = [{ instancePath: instancePath + "/path/id", schemaPath: "contract#/definitions/ProvisioningId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}(?:@[A-Za-z0-9.:-]{1,259})?$" } }];
                        return false;
                      }
                    } else {
                      validate124.errors = [{ instancePath: instancePath + "/path/id", schemaPath: "contract#/definitions/ProvisioningId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate124.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate124.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate124.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate124.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate124.errors = vErrors;
  return errors === 0;
}
validate124.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptspostProvisioningBlobParameters = validate125;
function validate125(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate125.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate125.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.id === void 0 && (missing1 = "id")) {
                validate125.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.id !== void 0) {
                  let data1 = data0.id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern134.test(data1)) {
                        validate125.errors = [{ instancePath: instancePath + "/path/id", schemaPath: "contract#/definitions/ProvisioningId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}(?:@[A-Za-z0-9.:-]{1,259})?$" } }];
                        return false;
                      }
                    } else {
                      validate125.errors = [{ instancePath: instancePath + "/path/id", schemaPath: "contract#/definitions/ProvisioningId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate125.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate125.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate125.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate125.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate125.errors = vErrors;
  return errors === 0;
}
validate125.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptspollProvisioningBlobParameters = validate126;
function validate126(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate126.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate126.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.id === void 0 && (missing1 = "id")) {
                validate126.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.id !== void 0) {
                  let data1 = data0.id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern134.test(data1)) {
                        validate126.errors = [{ instancePath: instancePath + "/path/id", schemaPath: "contract#/definitions/ProvisioningId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}(?:@[A-Za-z0-9.:-]{1,259})?$" } }];
                        return false;
                      }
                    } else {
                      validate126.errors = [{ instancePath: instancePath + "/path/id", schemaPath: "contract#/definitions/ProvisioningId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate126.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                if (data2.wait !== void 0) {
                  let data3 = data2.wait;
                  const _errs8 = errors;
                  if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                    validate126.errors = [{ instancePath: instancePath + "/query/wait", schemaPath: "#/properties/query/properties/wait/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs8) {
                    if (typeof data3 == "number") {
                      if (data3 > 60 || isNaN(data3)) {
                        validate126.errors = [{ instancePath: instancePath + "/query/wait", schemaPath: "#/properties/query/properties/wait/maximum", keyword: "maximum", params: { comparison: "<=", limit: 60 } }];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate126.errors = [{ instancePath: instancePath + "/query/wait", schemaPath: "#/properties/query/properties/wait/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                }
              } else {
                validate126.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data4 = data.header;
              const _errs10 = errors;
              if (errors === _errs10) {
                if (data4 && typeof data4 == "object" && !Array.isArray(data4)) {
                  let missing2;
                  if (data4["x-poll-token"] === void 0 && (missing2 = "x-poll-token")) {
                    validate126.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/required", keyword: "required", params: { missingProperty: missing2 } }];
                    return false;
                  } else {
                    if (data4["x-poll-token"] !== void 0) {
                      let data5 = data4["x-poll-token"];
                      const _errs12 = errors;
                      const _errs13 = errors;
                      if (errors === _errs13) {
                        if (typeof data5 === "string") {
                          if (!pattern4.test(data5)) {
                            validate126.errors = [{ instancePath: instancePath + "/header/x-poll-token", schemaPath: "contract#/definitions/PollToken/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                            return false;
                          }
                        } else {
                          validate126.errors = [{ instancePath: instancePath + "/header/x-poll-token", schemaPath: "contract#/definitions/PollToken/type", keyword: "type", params: { type: "string" } }];
                          return false;
                        }
                      }
                      var valid4 = _errs12 === errors;
                    } else {
                      var valid4 = true;
                    }
                    if (valid4) {
                      if (data4["x-download-id"] !== void 0) {
                        let data6 = data4["x-download-id"];
                        const _errs15 = errors;
                        if (errors === _errs15) {
                          if (typeof data6 === "string") {
                            if (!pattern95.test(data6)) {
                              validate126.errors = [{ instancePath: instancePath + "/header/x-download-id", schemaPath: "#/properties/header/properties/x-download-id/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{32}$" } }];
                              return false;
                            }
                          } else {
                            validate126.errors = [{ instancePath: instancePath + "/header/x-download-id", schemaPath: "#/properties/header/properties/x-download-id/type", keyword: "type", params: { type: "string" } }];
                            return false;
                          }
                        }
                        var valid4 = _errs15 === errors;
                      } else {
                        var valid4 = true;
                      }
                    }
                  }
                } else {
                  validate126.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs10 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate126.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate126.errors = vErrors;
  return errors === 0;
}
validate126.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetMetricsParameters = validate127;
var schema299 = { "type": "object", "required": ["path", "query", "header"], "properties": { "path": { "type": "object", "required": [], "properties": {} }, "query": { "type": "object", "required": [], "properties": { "period": { "type": "string", "enum": ["1h", "24h", "7d", "30d"], "default": "24h" } } }, "header": { "type": "object", "required": [], "properties": { "if-none-match": { "type": "string", "maxLength": 4096 } } } } };
function validate127(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate127.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate127.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate127.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.period === void 0) {
                  data1.period = "24h";
                }
                let data2 = data1.period;
                if (typeof data2 !== "string") {
                  validate127.errors = [{ instancePath: instancePath + "/query/period", schemaPath: "#/properties/query/properties/period/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
                if (!(data2 === "1h" || data2 === "24h" || data2 === "7d" || data2 === "30d")) {
                  validate127.errors = [{ instancePath: instancePath + "/query/period", schemaPath: "#/properties/query/properties/period/enum", keyword: "enum", params: { allowedValues: schema299.properties.query.properties.period.enum } }];
                  return false;
                }
              } else {
                validate127.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs7 = errors;
              if (errors === _errs7) {
                if (data3 && typeof data3 == "object" && !Array.isArray(data3)) {
                  if (data3["if-none-match"] !== void 0) {
                    let data4 = data3["if-none-match"];
                    const _errs9 = errors;
                    if (errors === _errs9) {
                      if (typeof data4 === "string") {
                        if (data4.length > 4096) {
                          validate127.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate127.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate127.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs7 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate127.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate127.errors = vErrors;
  return errors === 0;
}
validate127.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetMetricsTimeseriesParameters = validate128;
var schema300 = { "type": "object", "required": ["path", "query", "header"], "properties": { "path": { "type": "object", "required": [], "properties": {} }, "query": { "type": "object", "required": ["metric"], "properties": { "metric": { "$ref": "contract#/definitions/SeriesMetric" }, "period": { "type": "string", "enum": ["1h", "24h", "7d", "30d"], "default": "24h" }, "interval": { "type": "string", "enum": ["5m", "1h", "1d"], "default": "1h" } } }, "header": { "type": "object", "required": [], "properties": { "if-none-match": { "type": "string", "maxLength": 4096 } } } } };
var pattern142 = func0("^[a-z][a-z0-9_]{0,63}$", "u");
function validate128(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate128.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate128.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate128.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.period === void 0) {
                  data1.period = "24h";
                }
                if (data1.interval === void 0) {
                  data1.interval = "1h";
                }
                let missing1;
                if (data1.metric === void 0 && (missing1 = "metric")) {
                  validate128.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/required", keyword: "required", params: { missingProperty: missing1 } }];
                  return false;
                } else {
                  if (data1.metric !== void 0) {
                    let data2 = data1.metric;
                    const _errs5 = errors;
                    const _errs6 = errors;
                    if (errors === _errs6) {
                      if (typeof data2 === "string") {
                        if (!pattern142.test(data2)) {
                          validate128.errors = [{ instancePath: instancePath + "/query/metric", schemaPath: "contract#/definitions/SeriesMetric/pattern", keyword: "pattern", params: { pattern: "^[a-z][a-z0-9_]{0,63}$" } }];
                          return false;
                        }
                      } else {
                        validate128.errors = [{ instancePath: instancePath + "/query/metric", schemaPath: "contract#/definitions/SeriesMetric/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                    var valid1 = _errs5 === errors;
                  } else {
                    var valid1 = true;
                  }
                  if (valid1) {
                    let data3 = data1.period;
                    const _errs8 = errors;
                    if (typeof data3 !== "string") {
                      validate128.errors = [{ instancePath: instancePath + "/query/period", schemaPath: "#/properties/query/properties/period/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                    if (!(data3 === "1h" || data3 === "24h" || data3 === "7d" || data3 === "30d")) {
                      validate128.errors = [{ instancePath: instancePath + "/query/period", schemaPath: "#/properties/query/properties/period/enum", keyword: "enum", params: { allowedValues: schema300.properties.query.properties.period.enum } }];
                      return false;
                    }
                    var valid1 = _errs8 === errors;
                    if (valid1) {
                      let data4 = data1.interval;
                      const _errs10 = errors;
                      if (typeof data4 !== "string") {
                        validate128.errors = [{ instancePath: instancePath + "/query/interval", schemaPath: "#/properties/query/properties/interval/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                      if (!(data4 === "5m" || data4 === "1h" || data4 === "1d")) {
                        validate128.errors = [{ instancePath: instancePath + "/query/interval", schemaPath: "#/properties/query/properties/interval/enum", keyword: "enum", params: { allowedValues: schema300.properties.query.properties.interval.enum } }];
                        return false;
                      }
                      var valid1 = _errs10 === errors;
                    }
                  }
                }
              } else {
                validate128.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data5 = data.header;
              const _errs12 = errors;
              if (errors === _errs12) {
                if (data5 && typeof data5 == "object" && !Array.isArray(data5)) {
                  if (data5["if-none-match"] !== void 0) {
                    let data6 = data5["if-none-match"];
                    const _errs14 = errors;
                    if (errors === _errs14) {
                      if (typeof data6 === "string") {
                        if (data6.length > 4096) {
                          validate128.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate128.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate128.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs12 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate128.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate128.errors = vErrors;
  return errors === 0;
}
validate128.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsexportMetricsParameters = validate129;
var schema302 = { "type": "object", "required": ["path", "query", "header"], "properties": { "path": { "type": "object", "required": [], "properties": {} }, "query": { "type": "object", "required": [], "properties": { "format": { "type": "string", "enum": ["prometheus", "json", "csv"], "default": "prometheus" } } }, "header": { "type": "object", "required": [], "properties": {} } } };
function validate129(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate129.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate129.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate129.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.format === void 0) {
                  data1.format = "prometheus";
                }
                let data2 = data1.format;
                if (typeof data2 !== "string") {
                  validate129.errors = [{ instancePath: instancePath + "/query/format", schemaPath: "#/properties/query/properties/format/type", keyword: "type", params: { type: "string" } }];
                  return false;
                }
                if (!(data2 === "prometheus" || data2 === "json" || data2 === "csv")) {
                  validate129.errors = [{ instancePath: instancePath + "/query/format", schemaPath: "#/properties/query/properties/format/enum", keyword: "enum", params: { allowedValues: schema302.properties.query.properties.format.enum } }];
                  return false;
                }
              } else {
                validate129.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs7 = errors;
              if (errors === _errs7) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate129.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs7 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate129.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate129.errors = vErrors;
  return errors === 0;
}
validate129.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistAuditEntriesParameters = validate130;
var schema304 = { "type": "string", "enum": ["device_verified", "verification_revoked", "rate_limit_modified", "federation_blocked", "federation_unblocked", "config_updated", "admin_login", "admin_logout", "admin_added", "admin_permissions_changed", "admin_removed", "spam_reported", "device_blocked", "device_push_tested", "device_banned", "device_unblocked", "device_deleted", "ip_unbanned", "invite_created", "invite_revoked", "outbox_retried", "outbox_purged", "key_rotated", "key_revoked", "master_key_rotated", "admin_session_ended", "admin_link_created", "backup_requested", "blob_deleted", "clock_accepted", "database_restored", "slot_key_replaced"] };
var pattern145 = func0("^[^\\u0000]*$", "u");
function validate130(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate130.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate130.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate130.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.limit === void 0) {
                  data1.limit = 100;
                }
                if (data1.offset === void 0) {
                  data1.offset = 0;
                }
                if (data1.since !== void 0) {
                  let data2 = data1.since;
                  const _errs5 = errors;
                  if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                    validate130.errors = [{ instancePath: instancePath + "/query/since", schemaPath: "#/properties/query/properties/since/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs5) {
                    if (typeof data2 == "number") {
                      if (data2 > 253402300799 || isNaN(data2)) {
                        validate130.errors = [{ instancePath: instancePath + "/query/since", schemaPath: "#/properties/query/properties/since/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                        return false;
                      } else {
                        if (data2 < 0 || isNaN(data2)) {
                          validate130.errors = [{ instancePath: instancePath + "/query/since", schemaPath: "#/properties/query/properties/since/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid1 = _errs5 === errors;
                } else {
                  var valid1 = true;
                }
                if (valid1) {
                  if (data1.until !== void 0) {
                    let data3 = data1.until;
                    const _errs7 = errors;
                    if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                      validate130.errors = [{ instancePath: instancePath + "/query/until", schemaPath: "#/properties/query/properties/until/type", keyword: "type", params: { type: "integer" } }];
                      return false;
                    }
                    if (errors === _errs7) {
                      if (typeof data3 == "number") {
                        if (data3 > 253402300799 || isNaN(data3)) {
                          validate130.errors = [{ instancePath: instancePath + "/query/until", schemaPath: "#/properties/query/properties/until/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                          return false;
                        } else {
                          if (data3 < 0 || isNaN(data3)) {
                            validate130.errors = [{ instancePath: instancePath + "/query/until", schemaPath: "#/properties/query/properties/until/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid1 = _errs7 === errors;
                  } else {
                    var valid1 = true;
                  }
                  if (valid1) {
                    if (data1.action !== void 0) {
                      let data4 = data1.action;
                      const _errs9 = errors;
                      if (typeof data4 !== "string") {
                        validate130.errors = [{ instancePath: instancePath + "/query/action", schemaPath: "contract#/definitions/AuditAction/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                      if (!(data4 === "device_verified" || data4 === "verification_revoked" || data4 === "rate_limit_modified" || data4 === "federation_blocked" || data4 === "federation_unblocked" || data4 === "config_updated" || data4 === "admin_login" || data4 === "admin_logout" || data4 === "admin_added" || data4 === "admin_permissions_changed" || data4 === "admin_removed" || data4 === "spam_reported" || data4 === "device_blocked" || data4 === "device_push_tested" || data4 === "device_banned" || data4 === "device_unblocked" || data4 === "device_deleted" || data4 === "ip_unbanned" || data4 === "invite_created" || data4 === "invite_revoked" || data4 === "outbox_retried" || data4 === "outbox_purged" || data4 === "key_rotated" || data4 === "key_revoked" || data4 === "master_key_rotated" || data4 === "admin_session_ended" || data4 === "admin_link_created" || data4 === "backup_requested" || data4 === "blob_deleted" || data4 === "clock_accepted" || data4 === "database_restored" || data4 === "slot_key_replaced")) {
                        validate130.errors = [{ instancePath: instancePath + "/query/action", schemaPath: "contract#/definitions/AuditAction/enum", keyword: "enum", params: { allowedValues: schema304.enum } }];
                        return false;
                      }
                      var valid1 = _errs9 === errors;
                    } else {
                      var valid1 = true;
                    }
                    if (valid1) {
                      if (data1.admin !== void 0) {
                        let data5 = data1.admin;
                        const _errs12 = errors;
                        const _errs13 = errors;
                        if (errors === _errs13) {
                          if (typeof data5 === "string") {
                            if (!pattern4.test(data5)) {
                              validate130.errors = [{ instancePath: instancePath + "/query/admin", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                              return false;
                            }
                          } else {
                            validate130.errors = [{ instancePath: instancePath + "/query/admin", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                            return false;
                          }
                        }
                        var valid1 = _errs12 === errors;
                      } else {
                        var valid1 = true;
                      }
                      if (valid1) {
                        if (data1.admin_prefix !== void 0) {
                          let data6 = data1.admin_prefix;
                          const _errs15 = errors;
                          if (errors === _errs15) {
                            if (typeof data6 === "string") {
                              if (!pattern110.test(data6)) {
                                validate130.errors = [{ instancePath: instancePath + "/query/admin_prefix", schemaPath: "#/properties/query/properties/admin_prefix/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{1,64}$" } }];
                                return false;
                              }
                            } else {
                              validate130.errors = [{ instancePath: instancePath + "/query/admin_prefix", schemaPath: "#/properties/query/properties/admin_prefix/type", keyword: "type", params: { type: "string" } }];
                              return false;
                            }
                          }
                          var valid1 = _errs15 === errors;
                        } else {
                          var valid1 = true;
                        }
                        if (valid1) {
                          if (data1.target !== void 0) {
                            let data7 = data1.target;
                            const _errs17 = errors;
                            if (errors === _errs17) {
                              if (typeof data7 === "string") {
                                if (data7.length > 300) {
                                  validate130.errors = [{ instancePath: instancePath + "/query/target", schemaPath: "#/properties/query/properties/target/maxLength", keyword: "maxLength", params: { limit: 300 } }];
                                  return false;
                                } else {
                                  if (data7.length < 1) {
                                    validate130.errors = [{ instancePath: instancePath + "/query/target", schemaPath: "#/properties/query/properties/target/minLength", keyword: "minLength", params: { limit: 1 } }];
                                    return false;
                                  } else {
                                    if (!pattern145.test(data7)) {
                                      validate130.errors = [{ instancePath: instancePath + "/query/target", schemaPath: "#/properties/query/properties/target/pattern", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } }];
                                      return false;
                                    }
                                  }
                                }
                              } else {
                                validate130.errors = [{ instancePath: instancePath + "/query/target", schemaPath: "#/properties/query/properties/target/type", keyword: "type", params: { type: "string" } }];
                                return false;
                              }
                            }
                            var valid1 = _errs17 === errors;
                          } else {
                            var valid1 = true;
                          }
                          if (valid1) {
                            if (data1.target_prefix !== void 0) {
                              let data8 = data1.target_prefix;
                              const _errs19 = errors;
                              if (errors === _errs19) {
                                if (typeof data8 === "string") {
                                  if (data8.length > 300) {
                                    validate130.errors = [{ instancePath: instancePath + "/query/target_prefix", schemaPath: "#/properties/query/properties/target_prefix/maxLength", keyword: "maxLength", params: { limit: 300 } }];
                                    return false;
                                  } else {
                                    if (data8.length < 1) {
                                      validate130.errors = [{ instancePath: instancePath + "/query/target_prefix", schemaPath: "#/properties/query/properties/target_prefix/minLength", keyword: "minLength", params: { limit: 1 } }];
                                      return false;
                                    } else {
                                      if (!pattern145.test(data8)) {
                                        validate130.errors = [{ instancePath: instancePath + "/query/target_prefix", schemaPath: "#/properties/query/properties/target_prefix/pattern", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } }];
                                        return false;
                                      }
                                    }
                                  }
                                } else {
                                  validate130.errors = [{ instancePath: instancePath + "/query/target_prefix", schemaPath: "#/properties/query/properties/target_prefix/type", keyword: "type", params: { type: "string" } }];
                                  return false;
                                }
                              }
                              var valid1 = _errs19 === errors;
                            } else {
                              var valid1 = true;
                            }
                            if (valid1) {
                              let data9 = data1.limit;
                              const _errs21 = errors;
                              if (!(typeof data9 == "number" && (!(data9 % 1) && !isNaN(data9)))) {
                                validate130.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/type", keyword: "type", params: { type: "integer" } }];
                                return false;
                              }
                              if (errors === _errs21) {
                                if (typeof data9 == "number") {
                                  if (data9 > 1e3 || isNaN(data9)) {
                                    validate130.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e3 } }];
                                    return false;
                                  } else {
                                    if (data9 < 1 || isNaN(data9)) {
                                      validate130.errors = [{ instancePath: instancePath + "/query/limit", schemaPath: "#/properties/query/properties/limit/minimum", keyword: "minimum", params: { comparison: ">=", limit: 1 } }];
                                      return false;
                                    }
                                  }
                                }
                              }
                              var valid1 = _errs21 === errors;
                              if (valid1) {
                                let data10 = data1.offset;
                                const _errs23 = errors;
                                if (!(typeof data10 == "number" && (!(data10 % 1) && !isNaN(data10)))) {
                                  validate130.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/type", keyword: "type", params: { type: "integer" } }];
                                  return false;
                                }
                                if (errors === _errs23) {
                                  if (typeof data10 == "number") {
                                    if (data10 > 1e9 || isNaN(data10)) {
                                      validate130.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/maximum", keyword: "maximum", params: { comparison: "<=", limit: 1e9 } }];
                                      return false;
                                    } else {
                                      if (data10 < 0 || isNaN(data10)) {
                                        validate130.errors = [{ instancePath: instancePath + "/query/offset", schemaPath: "#/properties/query/properties/offset/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                                        return false;
                                      }
                                    }
                                  }
                                }
                                var valid1 = _errs23 === errors;
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              } else {
                validate130.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data11 = data.header;
              const _errs25 = errors;
              if (errors === _errs25) {
                if (data11 && typeof data11 == "object" && !Array.isArray(data11)) {
                  if (data11["if-none-match"] !== void 0) {
                    let data12 = data11["if-none-match"];
                    const _errs27 = errors;
                    if (errors === _errs27) {
                      if (typeof data12 === "string") {
                        if (data12.length > 4096) {
                          validate130.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate130.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate130.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs25 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate130.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate130.errors = vErrors;
  return errors === 0;
}
validate130.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsexportAuditEntriesParameters = validate131;
var schema306 = { "type": "object", "required": ["path", "query", "header"], "properties": { "path": { "type": "object", "required": [], "properties": {} }, "query": { "type": "object", "required": [], "properties": { "since": { "type": "integer", "format": "int64", "minimum": 0, "maximum": 253402300799 }, "until": { "type": "integer", "format": "int64", "minimum": 0, "maximum": 253402300799 }, "action": { "$ref": "contract#/definitions/AuditAction" }, "admin": { "$ref": "contract#/definitions/DeviceId" }, "admin_prefix": { "type": "string", "pattern": "^[0-9a-f]{1,64}$" }, "target": { "type": "string", "minLength": 1, "maxLength": 300, "pattern": "^[^\\u0000]*$" }, "target_prefix": { "type": "string", "minLength": 1, "maxLength": 300, "pattern": "^[^\\u0000]*$" }, "format": { "type": "string", "enum": ["csv", "json"], "default": "csv" } } }, "header": { "type": "object", "required": [], "properties": {} } } };
function validate131(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate131.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate131.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate131.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == "object" && !Array.isArray(data1)) {
                if (data1.format === void 0) {
                  data1.format = "csv";
                }
                if (data1.since !== void 0) {
                  let data2 = data1.since;
                  const _errs5 = errors;
                  if (!(typeof data2 == "number" && (!(data2 % 1) && !isNaN(data2)))) {
                    validate131.errors = [{ instancePath: instancePath + "/query/since", schemaPath: "#/properties/query/properties/since/type", keyword: "type", params: { type: "integer" } }];
                    return false;
                  }
                  if (errors === _errs5) {
                    if (typeof data2 == "number") {
                      if (data2 > 253402300799 || isNaN(data2)) {
                        validate131.errors = [{ instancePath: instancePath + "/query/since", schemaPath: "#/properties/query/properties/since/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                        return false;
                      } else {
                        if (data2 < 0 || isNaN(data2)) {
                          validate131.errors = [{ instancePath: instancePath + "/query/since", schemaPath: "#/properties/query/properties/since/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                          return false;
                        }
                      }
                    }
                  }
                  var valid1 = _errs5 === errors;
                } else {
                  var valid1 = true;
                }
                if (valid1) {
                  if (data1.until !== void 0) {
                    let data3 = data1.until;
                    const _errs7 = errors;
                    if (!(typeof data3 == "number" && (!(data3 % 1) && !isNaN(data3)))) {
                      validate131.errors = [{ instancePath: instancePath + "/query/until", schemaPath: "#/properties/query/properties/until/type", keyword: "type", params: { type: "integer" } }];
                      return false;
                    }
                    if (errors === _errs7) {
                      if (typeof data3 == "number") {
                        if (data3 > 253402300799 || isNaN(data3)) {
                          validate131.errors = [{ instancePath: instancePath + "/query/until", schemaPath: "#/properties/query/properties/until/maximum", keyword: "maximum", params: { comparison: "<=", limit: 253402300799 } }];
                          return false;
                        } else {
                          if (data3 < 0 || isNaN(data3)) {
                            validate131.errors = [{ instancePath: instancePath + "/query/until", schemaPath: "#/properties/query/properties/until/minimum", keyword: "minimum", params: { comparison: ">=", limit: 0 } }];
                            return false;
                          }
                        }
                      }
                    }
                    var valid1 = _errs7 === errors;
                  } else {
                    var valid1 = true;
                  }
                  if (valid1) {
                    if (data1.action !== void 0) {
                      let data4 = data1.action;
                      const _errs9 = errors;
                      if (typeof data4 !== "string") {
                        validate131.errors = [{ instancePath: instancePath + "/query/action", schemaPath: "contract#/definitions/AuditAction/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                      if (!(data4 === "device_verified" || data4 === "verification_revoked" || data4 === "rate_limit_modified" || data4 === "federation_blocked" || data4 === "federation_unblocked" || data4 === "config_updated" || data4 === "admin_login" || data4 === "admin_logout" || data4 === "admin_added" || data4 === "admin_permissions_changed" || data4 === "admin_removed" || data4 === "spam_reported" || data4 === "device_blocked" || data4 === "device_push_tested" || data4 === "device_banned" || data4 === "device_unblocked" || data4 === "device_deleted" || data4 === "ip_unbanned" || data4 === "invite_created" || data4 === "invite_revoked" || data4 === "outbox_retried" || data4 === "outbox_purged" || data4 === "key_rotated" || data4 === "key_revoked" || data4 === "master_key_rotated" || data4 === "admin_session_ended" || data4 === "admin_link_created" || data4 === "backup_requested" || data4 === "blob_deleted" || data4 === "clock_accepted" || data4 === "database_restored" || data4 === "slot_key_replaced")) {
                        validate131.errors = [{ instancePath: instancePath + "/query/action", schemaPath: "contract#/definitions/AuditAction/enum", keyword: "enum", params: { allowedValues: schema304.enum } }];
                        return false;
                      }
                      var valid1 = _errs9 === errors;
                    } else {
                      var valid1 = true;
                    }
                    if (valid1) {
                      if (data1.admin !== void 0) {
                        let data5 = data1.admin;
                        const _errs12 = errors;
                        const _errs13 = errors;
                        if (errors === _errs13) {
                          if (typeof data5 === "string") {
                            if (!pattern4.test(data5)) {
                              validate131.errors = [{ instancePath: instancePath + "/query/admin", schemaPath: "contract#/definitions/DeviceId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                              return false;
                            }
                          } else {
                            validate131.errors = [{ instancePath: instancePath + "/query/admin", schemaPath: "contract#/definitions/DeviceId/type", keyword: "type", params: { type: "string" } }];
                            return false;
                          }
                        }
                        var valid1 = _errs12 === errors;
                      } else {
                        var valid1 = true;
                      }
                      if (valid1) {
                        if (data1.admin_prefix !== void 0) {
                          let data6 = data1.admin_prefix;
                          const _errs15 = errors;
                          if (errors === _errs15) {
                            if (typeof data6 === "string") {
                              if (!pattern110.test(data6)) {
                                validate131.errors = [{ instancePath: instancePath + "/query/admin_prefix", schemaPath: "#/properties/query/properties/admin_prefix/pattern", keyword: "pattern", params: { pattern: "^[0-9a-f]{1,64}$" } }];
                                return false;
                              }
                            } else {
                              validate131.errors = [{ instancePath: instancePath + "/query/admin_prefix", schemaPath: "#/properties/query/properties/admin_prefix/type", keyword: "type", params: { type: "string" } }];
                              return false;
                            }
                          }
                          var valid1 = _errs15 === errors;
                        } else {
                          var valid1 = true;
                        }
                        if (valid1) {
                          if (data1.target !== void 0) {
                            let data7 = data1.target;
                            const _errs17 = errors;
                            if (errors === _errs17) {
                              if (typeof data7 === "string") {
                                if (data7.length > 300) {
                                  validate131.errors = [{ instancePath: instancePath + "/query/target", schemaPath: "#/properties/query/properties/target/maxLength", keyword: "maxLength", params: { limit: 300 } }];
                                  return false;
                                } else {
                                  if (data7.length < 1) {
                                    validate131.errors = [{ instancePath: instancePath + "/query/target", schemaPath: "#/properties/query/properties/target/minLength", keyword: "minLength", params: { limit: 1 } }];
                                    return false;
                                  } else {
                                    if (!pattern145.test(data7)) {
                                      validate131.errors = [{ instancePath: instancePath + "/query/target", schemaPath: "#/properties/query/properties/target/pattern", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } }];
                                      return false;
                                    }
                                  }
                                }
                              } else {
                                validate131.errors = [{ instancePath: instancePath + "/query/target", schemaPath: "#/properties/query/properties/target/type", keyword: "type", params: { type: "string" } }];
                                return false;
                              }
                            }
                            var valid1 = _errs17 === errors;
                          } else {
                            var valid1 = true;
                          }
                          if (valid1) {
                            if (data1.target_prefix !== void 0) {
                              let data8 = data1.target_prefix;
                              const _errs19 = errors;
                              if (errors === _errs19) {
                                if (typeof data8 === "string") {
                                  if (data8.length > 300) {
                                    validate131.errors = [{ instancePath: instancePath + "/query/target_prefix", schemaPath: "#/properties/query/properties/target_prefix/maxLength", keyword: "maxLength", params: { limit: 300 } }];
                                    return false;
                                  } else {
                                    if (data8.length < 1) {
                                      validate131.errors = [{ instancePath: instancePath + "/query/target_prefix", schemaPath: "#/properties/query/properties/target_prefix/minLength", keyword: "minLength", params: { limit: 1 } }];
                                      return false;
                                    } else {
                                      if (!pattern145.test(data8)) {
                                        validate131.errors = [{ instancePath: instancePath + "/query/target_prefix", schemaPath: "#/properties/query/properties/target_prefix/pattern", keyword: "pattern", params: { pattern: "^[^\\u0000]*$" } }];
                                        return false;
                                      }
                                    }
                                  }
                                } else {
                                  validate131.errors = [{ instancePath: instancePath + "/query/target_prefix", schemaPath: "#/properties/query/properties/target_prefix/type", keyword: "type", params: { type: "string" } }];
                                  return false;
                                }
                              }
                              var valid1 = _errs19 === errors;
                            } else {
                              var valid1 = true;
                            }
                            if (valid1) {
                              let data9 = data1.format;
                              const _errs21 = errors;
                              if (typeof data9 !== "string") {
                                validate131.errors = [{ instancePath: instancePath + "/query/format", schemaPath: "#/properties/query/properties/format/type", keyword: "type", params: { type: "string" } }];
                                return false;
                              }
                              if (!(data9 === "csv" || data9 === "json")) {
                                validate131.errors = [{ instancePath: instancePath + "/query/format", schemaPath: "#/properties/query/properties/format/enum", keyword: "enum", params: { allowedValues: schema306.properties.query.properties.format.enum } }];
                                return false;
                              }
                              var valid1 = _errs21 === errors;
                            }
                          }
                        }
                      }
                    }
                  }
                }
              } else {
                validate131.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data10 = data.header;
              const _errs23 = errors;
              if (errors === _errs23) {
                if (!(data10 && typeof data10 == "object" && !Array.isArray(data10))) {
                  validate131.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs23 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate131.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate131.errors = vErrors;
  return errors === 0;
}
validate131.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsgetHealthParameters = validate132;
function validate132(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate132.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate132.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate132.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (!(data1 && typeof data1 == "object" && !Array.isArray(data1))) {
                validate132.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data2 = data.header;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                  if (data2["if-none-match"] !== void 0) {
                    let data3 = data2["if-none-match"];
                    const _errs7 = errors;
                    if (errors === _errs7) {
                      if (typeof data3 === "string") {
                        if (data3.length > 4096) {
                          validate132.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate132.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate132.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate132.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate132.errors = vErrors;
  return errors === 0;
}
validate132.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistAlertsParameters = validate133;
function validate133(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate133.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate133.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate133.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (!(data1 && typeof data1 == "object" && !Array.isArray(data1))) {
                validate133.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data2 = data.header;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                  if (data2["if-none-match"] !== void 0) {
                    let data3 = data2["if-none-match"];
                    const _errs7 = errors;
                    if (errors === _errs7) {
                      if (typeof data3 === "string") {
                        if (data3.length > 4096) {
                          validate133.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate133.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate133.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate133.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate133.errors = vErrors;
  return errors === 0;
}
validate133.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptsremoveBlobParameters = validate134;
function validate134(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate134.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate134.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (data0 && typeof data0 == "object" && !Array.isArray(data0)) {
              let missing1;
              if (data0.blob_id === void 0 && (missing1 = "blob_id")) {
                validate134.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/required", keyword: "required", params: { missingProperty: missing1 } }];
                return false;
              } else {
                if (data0.blob_id !== void 0) {
                  let data1 = data0.blob_id;
                  const _errs4 = errors;
                  if (errors === _errs4) {
                    if (typeof data1 === "string") {
                      if (!pattern4.test(data1)) {
                        validate134.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/pattern", keyword: "pattern", params: { pattern: "^[0-9a-fA-F]{64}$" } }];
                        return false;
                      }
                    } else {
                      validate134.errors = [{ instancePath: instancePath + "/path/blob_id", schemaPath: "contract#/definitions/BlobId/type", keyword: "type", params: { type: "string" } }];
                      return false;
                    }
                  }
                }
              }
            } else {
              validate134.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data2 = data.query;
            const _errs6 = errors;
            if (errors === _errs6) {
              if (!(data2 && typeof data2 == "object" && !Array.isArray(data2))) {
                validate134.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs6 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data3 = data.header;
              const _errs8 = errors;
              if (errors === _errs8) {
                if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
                  validate134.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs8 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate134.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate134.errors = vErrors;
  return errors === 0;
}
validate134.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };
var acceptslistBackupsParameters = validate135;
function validate135(data, { instancePath = "", parentData, parentDataProperty, rootData = data, dynamicAnchors = {} } = {}) {
  let vErrors = null;
  let errors = 0;
  const evaluated0 = validate135.evaluated;
  if (evaluated0.dynamicProps) {
    evaluated0.props = void 0;
  }
  if (evaluated0.dynamicItems) {
    evaluated0.items = void 0;
  }
  if (errors === 0) {
    if (data && typeof data == "object" && !Array.isArray(data)) {
      let missing0;
      if (data.path === void 0 && (missing0 = "path") || data.query === void 0 && (missing0 = "query") || data.header === void 0 && (missing0 = "header")) {
        validate135.errors = [{ instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: missing0 } }];
        return false;
      } else {
        if (data.path !== void 0) {
          let data0 = data.path;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (!(data0 && typeof data0 == "object" && !Array.isArray(data0))) {
              validate135.errors = [{ instancePath: instancePath + "/path", schemaPath: "#/properties/path/type", keyword: "type", params: { type: "object" } }];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.query !== void 0) {
            let data1 = data.query;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (!(data1 && typeof data1 == "object" && !Array.isArray(data1))) {
                validate135.errors = [{ instancePath: instancePath + "/query", schemaPath: "#/properties/query/type", keyword: "type", params: { type: "object" } }];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.header !== void 0) {
              let data2 = data.header;
              const _errs5 = errors;
              if (errors === _errs5) {
                if (data2 && typeof data2 == "object" && !Array.isArray(data2)) {
                  if (data2["if-none-match"] !== void 0) {
                    let data3 = data2["if-none-match"];
                    const _errs7 = errors;
                    if (errors === _errs7) {
                      if (typeof data3 === "string") {
                        if (data3.length > 4096) {
                          validate135.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/maxLength", keyword: "maxLength", params: { limit: 4096 } }];
                          return false;
                        }
                      } else {
                        validate135.errors = [{ instancePath: instancePath + "/header/if-none-match", schemaPath: "#/properties/header/properties/if-none-match/type", keyword: "type", params: { type: "string" } }];
                        return false;
                      }
                    }
                  }
                } else {
                  validate135.errors = [{ instancePath: instancePath + "/header", schemaPath: "#/properties/header/type", keyword: "type", params: { type: "object" } }];
                  return false;
                }
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate135.errors = [{ instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } }];
      return false;
    }
  }
  validate135.errors = vErrors;
  return errors === 0;
}
validate135.evaluated = { "props": { "path": true, "query": true, "header": true }, "dynamicProps": false, "dynamicItems": false };

/** @type {Readonly<Record<string, (body: unknown) => boolean>>} */
export const bodyValidators = /** @type {any} */ ({ createRegistrationChallenge: acceptsRegistrationChallengeRequest, announceWithProof: acceptsAnnounceWithProofRequest, announceDevice: acceptsAnnounceDeviceRequest, sendMessage: acceptsSendMessageRequest, sendMessageBatch: acceptsSendMessageBatchRequest, sendMessageToMany: acceptsSendMessageToManyRequest, acknowledgeMessages: acceptsAcknowledgeMessagesRequest, readSlots: acceptsReadSlotsRequest, takeSlot: acceptsTakeSlotRequest, subscribeToPush: acceptsSubscribeToPushRequest, confirmPushSubscription: acceptsConfirmPushSubscriptionRequest, createBlob: acceptsCreateBlobRequest, claimKeyPackagesForPeer: acceptsFederatedClaimRequest, askSlot: acceptsFederatedSlotRequest, createFederationChallenge: acceptsFederationChallengeRequest, authenticateServer: acceptsFederationAuthRequest, pushOnlineMessages: acceptsPushOnlineMessagesRequest, forwardSpamReport: acceptsForwardSpamReportRequest, deliverTransaction: acceptsDeliverTransactionRequest, loginAdmin: acceptsAdminLoginRequest, loginWithLink: acceptsLinkLoginRequest, updateConfig: acceptsUpdateConfigRequest, verifyDevice: acceptsVerifyDeviceRequest, verifyDevices: acceptsVerifyDevicesRequest, revokeVerification: acceptsRevokeVerificationRequest, setRateLimit: acceptsSetRateLimitRequest, blockDevice: acceptsBlockDeviceRequest, blockServer: acceptsBlockServerRequest, setFederationPolicy: acceptsSetFederationPolicyRequest, createInvite: acceptsCreateInviteRequest, reportSpam: acceptsSpamReportRequest, uploadInfoPackage: acceptsUploadInfoPackageRequest, createRevocableInfoPackage: acceptsCreateRevocableInfoPackageRequest, uploadPlainInfoPackage: acceptsUploadPlainInfoPackageRequest, uploadKeyPackages: acceptsUploadKeyPackagesRequest, claimKeyPackages: acceptsClaimKeyPackagesRequest, createProvisioning: acceptsCreateProvisioningRequest, createLinkingCode: acceptsCreateLinkingCodeRequest, putProvisioningBlob: acceptsPutProvisioningBlobRequest, postProvisioningBlob: acceptsPutProvisioningBlobRequest });

/** @type {Readonly<Record<string, (given: { path: object, query: object, header: object }) => boolean>>} */
export const parameterValidators = /** @type {any} */ ({ getRegistrationChallenge: acceptsgetRegistrationChallengeParameters, endAddress: acceptsendAddressParameters, pollMessages: acceptspollMessagesParameters, acknowledgeMessage: acceptsacknowledgeMessageParameters, readSlots: acceptsreadSlotsParameters, takeSlot: acceptstakeSlotParameters, getSlot: acceptsgetSlotParameters, downloadBlob: acceptsdownloadBlobParameters, deleteBlob: acceptsdeleteBlobParameters, uploadBlobPart: acceptsuploadBlobPartParameters, getBlobUpload: acceptsgetBlobUploadParameters, completeBlob: acceptscompleteBlobParameters, claimKeyPackagesForPeer: acceptsclaimKeyPackagesForPeerParameters, askSlot: acceptsaskSlotParameters, pushOnlineMessages: acceptspushOnlineMessagesParameters, forwardSpamReport: acceptsforwardSpamReportParameters, deliverTransaction: acceptsdeliverTransactionParameters, listAdminSessions: acceptslistAdminSessionsParameters, endAdminSession: acceptsendAdminSessionParameters, getConfig: acceptsgetConfigParameters, deleteVerification: acceptsdeleteVerificationParameters, listPendingDevices: acceptslistPendingDevicesParameters, listDevices: acceptslistDevicesParameters, getDevice: acceptsgetDeviceParameters, deleteDevice: acceptsdeleteDeviceParameters, testDevicePush: acceptstestDevicePushParameters, blockDevice: acceptsblockDeviceParameters, unblockServer: acceptsunblockServerParameters, listBlockedServers: acceptslistBlockedServersParameters, getServerReputation: acceptsgetServerReputationParameters, listPeers: acceptslistPeersParameters, listPeerBlocklists: acceptslistPeerBlocklistsParameters, getPeerBlocklist: acceptsgetPeerBlocklistParameters, getFederationPolicy: acceptsgetFederationPolicyParameters, listOutboxBacklogs: acceptslistOutboxBacklogsParameters, retryOutbox: acceptsretryOutboxParameters, purgeOutbox: acceptspurgeOutboxParameters, listInvites: acceptslistInvitesParameters, revokeInvite: acceptsrevokeInviteParameters, getInfoPackage: acceptsgetInfoPackageParameters, revokeInfoPackage: acceptsrevokeInfoPackageParameters, getRevocableInfoPackage: acceptsgetRevocableInfoPackageParameters, revokeRevocableInfoPackage: acceptsrevokeRevocableInfoPackageParameters, getPlainInfoPackage: acceptsgetPlainInfoPackageParameters, revokePlainInfoPackage: acceptsrevokePlainInfoPackageParameters, fetchKeyPackage: acceptsfetchKeyPackageParameters, getKeyPackageStatus: acceptsgetKeyPackageStatusParameters, createLinkingCode: acceptscreateLinkingCodeParameters, getLinkingCode: acceptsgetLinkingCodeParameters, putProvisioningBlob: acceptsputProvisioningBlobParameters, postProvisioningBlob: acceptspostProvisioningBlobParameters, pollProvisioningBlob: acceptspollProvisioningBlobParameters, getMetrics: acceptsgetMetricsParameters, getMetricsTimeseries: acceptsgetMetricsTimeseriesParameters, exportMetrics: acceptsexportMetricsParameters, listAuditEntries: acceptslistAuditEntriesParameters, exportAuditEntries: acceptsexportAuditEntriesParameters, getHealth: acceptsgetHealthParameters, listAlerts: acceptslistAlertsParameters, removeBlob: acceptsremoveBlobParameters, listBackups: acceptslistBackupsParameters });
