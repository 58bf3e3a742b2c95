// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/ansible_inventory.h"

#include <gtest/gtest.h>

#include "launcher/hosts/host_list.h"
#include "tests/launcher/error_of.h"
#include "tests/launcher/hosts/shown.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

std::string hosts_in(const std::string& text, const std::string& group = "") {
  return shown(parse_inventory(text, "i", group));
}

std::string inventory_refusal(const std::string& text, const std::string& group = "") {
  return error_of([&] { parse_inventory(text, "i", group); });
}

TEST(AnsibleInventory, IsRecognised) {
  const std::pair<const char*, bool> cases[] = {
      {"[workers]\nnode1\n", true},
      {"# all\n[gpu:vars]\n", true},
      {"node1 ansible_host=10.0.0.1\n", true},
      {"all:\n  hosts:\n    node1:\n", true},
      {"---\nworkers:\n  hosts:\n", true},
      {"node1 slots=2\nnode2\n", false},
      {"[fd00::2]:2\n", false},
      {"gpu[1-2]\n", false},
      {"[1-2]\n", false},
      {"services:\n  web:\n", false},
      {"# ansible_host\n", false},
      {"---\n- hosts: all\n  tasks:\n  - debug: msg={{ ansible_host }} ansible_user\n", false},
      {"", false},
  };
  for (const auto& [text, is_one] : cases) EXPECT_EQ(is_inventory(text), is_one) << text;
}

TEST(AnsibleInventory, OfIniIsRead) {
  const char* text =
      "; the cluster\n"
      "[workers]\n"
      "node1 ansible_host=10.0.0.1 ansible_port=2222  # the first\n"
      "node[02:06:2] ansible_user='me'\r\n"
      "gpu:2200 slots=4 note=\"a b\"\n"
      "\n"
      "[workers:vars]\n"
      "ansible_user = ada\n"
      "ansible_python_interpreter=/usr/bin/python3\n";
  EXPECT_EQ(hosts_in(text),
            "10.0.0.1:0, user=ada port=2222;node02:0, user=me;node04:0, user=me;node06:0, user=me;"
            "gpu:0,1,2,3, user=ada port=2200;");
  EXPECT_EQ(hosts_in("a ansible_ssh_host=b ansible_ssh_user=c ansible_ssh_port=1\n"), "b:0, user=c port=1;");
}

TEST(AnsibleInventory, GivesVariablesOfGroupsAsAnsibleDoes) {
  const char* text =
      "[all:vars]\nansible_user=all\nansible_port=1\n"
      "[top:children]\nlow\n"
      "[low]\na\nb ansible_user=own\n"
      "[top:vars]\nansible_user=top\nansible_port=2\n"
      "[low:vars]\nansible_user=low\n";
  EXPECT_EQ(hosts_in(text), "a:0, user=low port=2;b:0, user=own port=2;");
  EXPECT_EQ(hosts_in("[a]\nx\n[b]\nx\n[a:vars]\nansible_user=a\n[b:vars]\nansible_user=b\n"), "x:0, user=b;");
  EXPECT_EQ(hosts_in("[a]\nx\n[a:children]\nb\n[b:children]\na\n"), "x:0,;") << "a circle";
}

TEST(AnsibleInventory, OfYamlIsRead) {
  const char* text =
      "---\n"
      "all:\n"
      "  vars:\n"
      "    ansible_user: ada   # everywhere\n"
      "  children:\n"
      "    workers:\n"
      "      hosts:\n"
      "        node1:\n"
      "          ansible_host: 10.0.0.1\n"
      "          ansible_port: '2222'\n"
      "          labels:\n"
      "            - gpu\n"
      "          racks:\n"
      "          - name: a\n"
      "          - b\n"
      "          notes:\n"
      "            a:\n"
      "            \tb\n"
      "        node[02:03]: {ansible_user: me, slots: 2}\n"
      "        \"node4\": ~\n"
      "    top:\n"
      "      children:\n"
      "        workers:\n";
  EXPECT_EQ(hosts_in(text),
            "10.0.0.1:0, user=ada port=2222;node02:0,1, user=me;node03:0,1, user=me;node4:0, user=ada;");
  EXPECT_EQ(hosts_in(text, "top"), hosts_in(text));
}

TEST(AnsibleInventory, HasSeveralGroupsOfWhichOneIsWanted) {
  const char* text = "[gpu]\na\nb\n[login]\nc\n[both:children]\ngpu\nlogin\n";
  EXPECT_EQ(inventory_refusal(text),
            "i: an inventory with the groups gpu, login: wanted one, such as i:gpu, or i:all");
  EXPECT_EQ(hosts_in(text, "gpu"), "a:0,;b:0,;");
  EXPECT_EQ(hosts_in(text, "both"), "a:0,;b:0,;c:0,;");
  EXPECT_EQ(hosts_in(text, "all"), "a:0,;b:0,;c:0,;");
  EXPECT_EQ(hosts_in("[gpu]\na\nb\n[train]\na\nb\n"), "a:0,;b:0,;") << "the same hosts";
  EXPECT_EQ(hosts_in("[gpu]\na\n[1]\nb\n", "1"), "b:0,;") << "no host 1";
}

TEST(AnsibleInventory, HasNoGroupToChooseWhereAllAreOfAnsible) {
  EXPECT_EQ(hosts_in("a\n[all]\nb\n"), "a:0,;b:0,;");
  const char* yaml =
      "all:\n  hosts:\n    b:\n  children:\n    ungrouped:\n      hosts:\n        a: {}\n  vars: {}\n";
  EXPECT_EQ(hosts_in(yaml), "b:0,;a:0,;");
  EXPECT_EQ(hosts_in(yaml, "ungrouped"), "a:0,;");
  EXPECT_EQ(inventory_refusal("a\n[all]\nb\n", "x"),
            "i: no group \"x\" in this inventory, which has none with a name of its own");
}

TEST(AnsibleInventory, HasValuesInQuotes) {
  EXPECT_EQ(hosts_in("[a]\nx note=\"one # two\" ansible_host='y' # z\n[a:vars]\nansible_user='m' # me\n"),
            "y:0, user=m;");
  EXPECT_EQ(hosts_in("[a]\nx note='#' ansible_port=2\n"), "x:0, port=2;");
  EXPECT_EQ(hosts_in("all:\n  hosts:\n    x: {note: 'a # b', ansible_user: m}  # c\n"), "x:0, user=m;");
  for (const char* text : {"[a]\nx note=\"a ansible_host=y\n", "[a:vars]\nansible_user='m\n",
                           "all:\n  vars: {}\n  hosts:\n    x:\n      ansible_user: \"m\n"})
    EXPECT_NE(inventory_refusal(text).find(": a quote without its partner"), std::string::npos) << text;
}

TEST(AnsibleInventory, IsReadInBoundedTime) {
  std::string text = "[a]\nn[1:65536] slots=1\n";
  for (int i = 0; i < 100; ++i) text += "n[1:65536] slots=2\n";
  EXPECT_EQ(inventory_refusal(text), "i:3: more than 65536 hosts");
  text = "all:\n  hosts:\n    n[1:65536]:\n";
  for (int i = 0; i < 5000; ++i) text += "      note: x\n";
  EXPECT_EQ(hosts_in(text).substr(0, 6), "n1:0,;");
  for (int i = 0; i < 100; ++i) text += "      slots: 2\n";
  EXPECT_EQ(inventory_refusal(text), "i:5019: more than 1000000 variables");
  std::string groups = "[g0]\nn[1:65536]\n";
  for (int i = 0; i < 100; ++i) {
    const std::string name = "g" + std::to_string(i + 1);
    groups += "[" + name + ":children]\ng" + std::to_string(i) + "\n[" + name + ":vars]\nslots=1\n";
  }
  EXPECT_EQ(inventory_refusal(groups), "i: more than 1000000 variables of hosts");
}

TEST(AnsibleInventory, IsRefusedWhereItsMeaningIsNotCertain) {
  const std::pair<std::string, const char*> cases[] = {
      {"[a]\nx ansible_connection=local\n",
       "i: host \"x\": ansible_connection=local, wanted a host that SSH reaches"},
      {"[a]\nx ansible_ssh_common_args='-J gate'\n",
       "i: host \"x\": ansible_ssh_common_args: not read; what it says goes into ~/.ssh/config, and the host "
       "into a "
       "list or hostfile"},
      {"[top:children]\nlow\n[a]\nx\n", "i:2: group \"low\" is not in this inventory"},
      {"[a]\nx\n[b:vars]\nansible_user=m\n", "i:4: group \"b\" is not in this inventory"},
      {"[a]\nx ansible_host={{ip}}\n",
       "i: host \"x\": ansible_host: \"{{ip}}\": a template of Ansible, wanted the value itself"},
      {"[a]\nx ansible_port=ssh\n", "i: host \"x\": port: \"ssh\": wanted a number from 1 to 65535"},
      {"[a]\nx[a:c]\n", "i:2: \"[a:c]\": wanted a number or a rising range such as 1-4 or 0-14/2"},
      {"[a]\nx\n[b c]\ny\n",
       "i:3: \"[b c]\": wanted [GROUP], [GROUP:vars] or [GROUP:children], a GROUP of letters and digits"},
      {"[a]\nx y\n", "i:2: \"y\": wanted VARIABLE=VALUE behind the host"},
      {"[a:vars]\nx\n", "i:2: wanted VARIABLE=VALUE"},
      {"[a]\n", "i: no host in it"},
      {"[a]\nx\n[b]\nn[1:70000]\n", "i:4: more than 65536 hosts"},
      {"all:\n  hosts:\n    - x\n", "i:3: wanted KEY: as in an inventory of Ansible"},
      {"all:\n  hosts:\n    x: y\n", "i:3: \"y\": wanted variables of the host"},
      {"all:\n  hostz:\n", "i:2: \"hostz\": wanted hosts, children or vars in a group of Ansible"},
      {"all:\n  hosts: {x: {}}\n", "i:2: hosts: \"{x: {}}\": wanted its keys in lines below it"},
      {"all:\n  hosts: *h\n", "i:2: hosts: \"*h\": wanted its keys in lines below it"},
      {"all:\n  vars: {ansible_user: m}\n  hosts:\n    x:\n",
       "i:2: vars: \"{ansible_user: m}\": wanted its keys in lines below it"},
      {"all:\n  children:\n    g: &g\n", "i:3: g: \"&g\": wanted its keys in lines below it"},
      {"all:\n  hosts:\n    x:\n      <<: *d\n", "i:4: <<: not read, wanted the variables themselves"},
      {"all:\n  hosts:\n    x: {<<: *d}\n", "i:3: <<: not read, wanted the variables themselves"},
      {"all:\n  hosts:\n    x:\n      ansible_user: *u\n",
       "i:4: ansible_user: \"*u\": wanted the value itself"},
      {"all:\n  hosts:\n    x:\n      ansible_host: >-\n        y\n",
       "i:4: ansible_host: \">-\": wanted the value itself"},
      {"all:\n  hosts:\n    x:\n      ansible_host:\n        y\n",
       "i:5: wanted the value in the line of its key"},
      {"all:\n\thosts:\n", "i:2: a tab, wanted blanks before a key of YAML"},
  };
  for (const auto& [text, said] : cases) EXPECT_EQ(inventory_refusal(text), said) << text;
  std::string groups;
  for (int i = 0; i < 1001; ++i) groups += "[g" + std::to_string(i) + "]\n";
  EXPECT_EQ(inventory_refusal(groups), "i:1001: more than 1000 groups");
  std::string deep = "all:\n";
  for (int i = 1; i < 100; ++i)
    deep += std::string(static_cast<std::size_t>(i), ' ') + (i % 2 == 0 ? "g:\n" : "children:\n");
  EXPECT_EQ(inventory_refusal(deep), "i:65: more than 64 levels");
}

TEST(AnsibleInventory, HasVariablesBesideItThatAreNotRead) {
  const test::ScratchFolder folder;
  const std::string inventory = folder.write("i", "[a]\nx\n");
  EXPECT_EQ(unread_variable_beside(inventory), "");
  folder.write("group_vars/all.yml", "ansible_python_interpreter: p\nansible_user\n# ansible_user: m\n");
  EXPECT_EQ(unread_variable_beside(inventory), "");
  const std::pair<const char*, const char*> variables[] = {
      {"slots: 8\n", ": slots"},
      {"devices: 0-3\n", ": devices"},
      {"ansible_ssh_private_key_file: ~/k\n", ": ansible_ssh_private_key_file"},
      {"ansible_connection: local\n", ": ansible_connection"},
      {"ansible_connection: ssh  # as usual\n\"ansible_connection\": 'smart'\n", ""},
      {"queue:\n  slots: 8\n", ""},
  };
  for (const auto& [text, variable] : variables) {
    const std::string all = folder.write("group_vars/all.yml", text);
    EXPECT_EQ(unread_variable_beside(inventory), *variable == '\0' ? "" : all + variable) << text;
  }
  const std::string file = folder.write("host_vars/x/ssh.yml", "---\nport: 1\n\"ansible_port\": 2\n");
  EXPECT_EQ(unread_variable_beside(inventory), file + ": ansible_port");
  EXPECT_EQ(unread_variable(inventory), file + ": ansible_port: not read; wanted it in the inventory itself");
  const std::string with_key = folder.write("keys", "[a]\nx ansible_ssh_private_key_file=~/k\n");
  EXPECT_EQ(unread_variable(with_key), with_key +
                                           ": ansible_ssh_private_key_file: not read; wanted --identity "
                                           "FILE, or IdentityFile in ~/.ssh/config");
  EXPECT_EQ(unread_variable(folder.write("hosts", "x\n")), "") << "no inventory";
  EXPECT_EQ(unread_variable("x,y"), "");
}

}  // namespace
}  // namespace adarun::launcher
